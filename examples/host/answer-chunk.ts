import { randomUUID } from 'node:crypto';
import * as z from 'zod';

/** A tool call as the model wrote it. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** JSON, if the model wrote it well. */
  readonly arguments: string;
}

const ToolCallPart = z.object({
  index: z.number().default(0),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});

const AnswerChunk = z.object({
  choices: z
    .array(
      z.object({
        delta: z.object({ content: z.string().nullish(), tool_calls: z.array(ToolCallPart).nullish() }).nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .nullish(),
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullish().catch(null),
});

/** A piece of a streamed answer, as far as the hosts read it. Compatible servers leave out whatever they like. */
export type AnswerChunk = z.output<typeof AnswerChunk>;

/**
 * Reads a piece.
 *
 * @throws Error that names what does not fit.
 */
export function readChunk(chunk: unknown): AnswerChunk {
  const parsed = AnswerChunk.safeParse(chunk);
  if (parsed.success) return parsed.data;
  throw new Error(`The provider sent what is no piece of an answer.\n${z.prettifyError(parsed.error)}`);
}

/** Puts the tool calls of an answer together from their pieces. */
export class ToolCallParts {
  readonly #calls: { readonly index: number; id: string; name: string; arguments: string }[] = [];

  /**
   * Takes a piece. Some servers repeat the id and the name in each one, some give each piece of a call an id of its own,
   * and some give all calls the same index: only a new id together with a name begins another call.
   */
  add({ index, id, function: part }: z.output<typeof ToolCallPart>): void {
    let call = this.#calls.findLast((known) => known.index === index);
    if (call === undefined || (id && part?.name && call.id !== id)) {
      call = { index, id: id || `call-${randomUUID()}`, name: '', arguments: '' };
      this.#calls.push(call);
    }
    call.name = part?.name || call.name;
    call.arguments += part?.arguments ?? '';
  }

  /** All calls, in the order in which they began. */
  get whole(): readonly ToolCall[] {
    return this.#calls.map(({ id, name, arguments: text }) => ({ id, name, arguments: text }));
  }
}
