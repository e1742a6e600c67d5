import { readFile } from 'node:fs/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import * as z from 'zod';

/** The approval modes of the hosts. */
export const APPROVAL_MODES = ['default', 'plan', 'yolo'] as const;
/** `default` asks before what changes things, `plan` refuses it, `yolo` does it. */
export type ApprovalMode = (typeof APPROVAL_MODES)[number];

/** The flags that every host has. */
export interface HostFlags {
  /** The setting `experimental.todoStopGuard` (G1). */
  readonly todoStopGuard: boolean;
  readonly approvalMode: ApprovalMode;
  readonly safeMode: boolean;
  readonly bare: boolean;
  /** Commands, in the order in which they were given. */
  readonly stopHook: readonly string[];
  readonly postToolHook: readonly string[];
  /** Prompt tokens past which nothing is sent. */
  readonly tokenLimit?: number;
  /** Prompt tokens past which the history is summarised first. */
  readonly compactAt?: number;
  /** The n-th identical tool call in a row stops the turn. */
  readonly maxSameCalls?: number;
  /** A JSON file of {@link CronJob}s. */
  readonly cron?: string;
  readonly followUps: boolean;
  /** A script for the scripted model. */
  readonly script?: string;
}

/**
 * A command with the flags of every host; a host adds its own before it parses.
 *
 * A flag that does not fit ends in commander's error, which names it.
 */
export function hostCommand(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--todo-stop-guard', 'continue when the model stops with Todo items open', false)
    .addOption(
      new Option('--approval-mode <mode>', 'ask before changes, refuse them, or make them')
        .choices(APPROVAL_MODES)
        .default('default'),
    )
    .option('--safe-mode', 'run without the guard', false)
    .option('--bare', 'run without the guard', false)
    .option('--stop-hook <command>', 'is asked whenever the model stops (repeatable)', append, [])
    .option('--post-tool-hook <command>', 'is told of each tool result (repeatable)', append, [])
    .option('--token-limit <n>', 'refuse to send past so many prompt tokens', positiveInteger)
    .option('--compact-at <n>', 'summarise the history past so many prompt tokens', positiveInteger)
    .option('--max-same-calls <n>', 'stop at the n-th identical tool call in a row', positiveInteger)
    .option('--cron <file>', 'JSON: [{ "id", "every_seconds", "prompt" }]')
    .option('--follow-ups', 'suggest a next prompt after a turn', false)
    .option('--script <file>', 'the script of the scripted model, when OPENAI_BASE_URL is not set');
}

/** A prompt that is run every so many seconds. */
export interface CronJob {
  readonly id: string;
  readonly every_seconds: number;
  readonly prompt: string;
}

const CronJobs = z
  .array(
    z.strictObject({
      id: z.string().min(1),
      // setInterval takes no more milliseconds than fit into 31 bits.
      every_seconds: z.number().min(0.01).max(2_000_000),
      prompt: z.string().min(1),
    }),
  )
  .refine((jobs) => new Set(jobs.map(({ id }) => id)).size === jobs.length, 'two jobs have the same id');

/**
 * Reads the file of `--cron`.
 *
 * @throws Error that names the file and each field that does not fit.
 */
export async function readCron(path: string): Promise<readonly CronJob[]> {
  try {
    const parsed = CronJobs.safeParse(JSON.parse(await readFile(path, 'utf8')));
    if (parsed.success) return parsed.data;
    throw new Error(`expected [{ id, every_seconds, prompt }]\n${z.prettifyError(parsed.error)}`);
  } catch (error) {
    throw new Error(`--cron ${path}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}

function append(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function positiveInteger(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < 1) throw new InvalidArgumentError('Give a whole number from 1.');
  return number;
}
