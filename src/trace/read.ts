import type { core } from 'zod/mini';
import type { GuardEvent } from '../events.ts';
import type { TodoResultRefusal } from '../todo-result.ts';
import { headerSchema, malformedSchema, problems, refusalSchema, stepSchema } from './lines.ts';
import type { TracedDecision, TraceHeader } from './lines.ts';

/** A trace that was read. */
export interface Trace {
  /** Its first line. */
  readonly header: TraceHeader;
  /** In the order of the file. */
  readonly entries: readonly TraceEntry[];
}

/** One line after the first, with its place in the file from 1: a step, or a Todo result that was refused at the door. */
export type TraceEntry =
  | { readonly line: number; readonly event: GuardEvent; readonly decision: TracedDecision }
  | { readonly line: number; readonly refused: TodoResultRefusal };

/** Why a text is no trace. The message names the line and the field, and says what to do. */
export class TraceError extends Error {
  /** The line that cannot be read, from 1. */
  readonly line: number;

  constructor(line: number, problem: string) {
    super(`Line ${line}: ${problem}.`);
    this.name = 'TraceError';
    this.line = line;
  }
}

/** Sessions are some hundred lines; a text of more than this is taken for something else. */
const CHARS_MAX = 32 * 1_024 * 1_024;

/**
 * Reads what `recordTrace` has written.
 *
 * @param text - an untrusted text, at most 32 Mi UTF-16 units: one JSON object a line.
 * @throws TraceError for the first line that is not one of a trace.
 */
export function readTrace(text: string): Trace {
  if (text.length > CHARS_MAX) throw new TraceError(1, `the trace is longer than ${CHARS_MAX} characters; cut it`);
  const lines = text.trimEnd().split('\n');
  const header = accept(1, headerSchema.safeParse(readJson(1, lines.slice(0, 1).join())));
  return { header, entries: lines.slice(1).map((source, index) => readEntry(index + 2, source)) };
}

function readEntry(line: number, source: string): TraceEntry {
  const value = readJson(line, source);
  if (has(value, 'refused')) return { line, ...accept(line, refusalSchema.safeParse(value)) };
  if (has(value, 'malformed')) {
    const { malformed } = accept(line, malformedSchema.safeParse(value));
    throw new TraceError(line, `the host told a malformed fact, which cannot be replayed: ${malformed}`);
  }
  return { line, ...accept(line, stepSchema.safeParse(value)) };
}

function readJson(line: number, source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    throw new TraceError(
      line,
      line === 1
        ? 'this is not JSON; pass a file that recordTrace has written'
        : 'this is not JSON; if the file was cut off here, delete this line',
    );
  }
}

function has(value: unknown, key: string): boolean {
  return typeof value === 'object' && value !== null && key in value;
}

function accept<Output>(
  line: number,
  parsed: { success: true; data: Output } | { success: false; error: core.$ZodError },
): Output {
  if (!parsed.success) throw new TraceError(line, problems(parsed.error));
  return parsed.data;
}
