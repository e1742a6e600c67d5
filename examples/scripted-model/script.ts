/**
 * The script of a scripted model: which answer the model gives to which request. `README.md` shows the format.
 *
 * @module
 */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';

/** What a request must contain to belong to a conversation: all that are given, as substrings. */
const When = z.strictObject({
  /** In the system message. Sub-agents and the host's own small calls have system messages of their own. */
  system: z.string().optional(),
  /** In the first user message, which tells one session from another. */
  first_user: z.string().optional(),
  /** In the last user message. */
  last_user: z.string().optional(),
});

const ToolCall = z.strictObject({
  name: z.string().min(1),
  /** An object, or the raw text for a model that writes broken JSON. */
  arguments: z.union([z.record(z.string(), z.unknown()), z.string()]),
  /** Left out: an id that is used once. */
  id: z.string().min(1).optional(),
});

const ScriptedResponse = z.strictObject({
  text: z.string().default(''),
  tool_calls: z.array(ToolCall).default([]),
  /** Any word. Left out: `tool_calls` with tool calls, otherwise `stop`. */
  finish_reason: z.string().optional(),
  usage: z
    .strictObject({ prompt_tokens: z.int().min(0), completion_tokens: z.int().min(0) })
    .default({ prompt_tokens: 20, completion_tokens: 5 }),
  /** Instead of an answer. The code of a context overflow is `context_length_exceeded`. */
  error: z
    .strictObject({
      status: z.int().min(400).max(599),
      message: z.string().default('The script says that this request fails.'),
      code: z.string().optional(),
    })
    .optional(),
  /** The connection dies after the text, before the end. */
  breaks: z.boolean().default(false),
  /** Nothing is answered before a test has called `release` with this name. */
  wait_for: z.string().min(1).optional(),
  /** The stream begins, and goes on after its first piece once a test has called `release` with this name. */
  pause_for: z.string().min(1).optional(),
  /** How many requests in a row get this response. */
  times: z.int().min(1).max(1000).default(1),
});

const Script = z.strictObject({
  /** The conversation of every request that belongs to no other one. */
  responses: z.array(ScriptedResponse).default([]),
  /** The first one whose `when` fits gets the request. */
  conversations: z.array(z.strictObject({ when: When, responses: z.array(ScriptedResponse).min(1) })).default([]),
});

/** A script as its file holds it, defaults left out. */
export type ScriptInput = z.input<typeof Script>;
/** A script that has been read. */
export type Script = z.output<typeof Script>;
/** One answer of the model. */
export type ScriptedResponse = z.output<typeof ScriptedResponse>;
/** What a request must contain to belong to a conversation. */
export type When = z.output<typeof When>;

/**
 * Reads a script.
 *
 * @param value - any value at all, usually from `JSON.parse`.
 * @throws Error that names every field that does not fit and what was expected.
 */
export function parseScript(value: unknown): Script {
  const parsed = Script.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Error(`The script of the scripted model does not fit:\n${z.prettifyError(parsed.error)}`);
}

/**
 * Reads a script from a JSON file.
 *
 * @throws Error that names the file, and the field or the place that does not fit.
 */
export async function readScript(path: string): Promise<Script> {
  try {
    return parseScript(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    throw new Error(`${path}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
