/**
 * What stands in a trace. One schema for writing and for reading: what it does not name is neither recorded nor read,
 * so that no text of a Todo or a prompt can get in (T4).
 *
 * @module
 */
import * as z from 'zod/mini';
import type { GuardEvent, GuardEventType } from '../events.ts';
import { CHAIN_END_REASONS, HARD_STOP_REASONS } from '../reasons.ts';
import type { TodoResultRefusal } from '../todo-result.ts';

/** The version of this library. It stands in every trace, because another version may decide otherwise. */
export const LIBRARY_VERSION = '0.1.0';

const notAnObject = { error: 'must be an object' };
const text = z.string({ error: 'must be a string' });
const flag = z.boolean({ error: 'must be true or false' });
const count = z.int({ error: 'must be a whole number' }).check(z.nonnegative('must not be negative'));
const range = 'must be a whole number from 1 to 10';
const maxAttempts = z.int({ error: range }).check(z.minimum(1, range), z.maximum(10, range));
const turn = text.check(z.minLength(1, 'must not be empty'));

function word<const Words extends readonly string[]>(...words: Words): z.ZodMiniLiteral<Words[number]> {
  return z.literal(words, { error: `must be one of: ${words.join(', ')}` });
}

const EVENTS = {
  prompt_started: z.object({ type: z.literal('prompt_started'), turn, origin: word('user', 'retry', 'continue') }),
  automatic_turn_requested: z.object({ type: z.literal('automatic_turn_requested'), turn, related: flag }),
  turn_settled: z.object({ type: z.literal('turn_settled'), turn, background: flag }),
  todos_written: z.object({ type: z.literal('todos_written'), turn, unfinishedCount: count }),
  user_message_sent: z.object({ type: z.literal('user_message_sent'), turn }),
  hard_stopped: z.object({ type: z.literal('hard_stopped'), turn, reason: word(...HARD_STOP_REASONS) }),
  turn_failed: z.object({ type: z.literal('turn_failed'), turn }),
  chain_ended: z.object({ type: z.literal('chain_ended'), reason: word(...CHAIN_END_REASONS) }),
  approval_mode_changed: z.object({ type: z.literal('approval_mode_changed'), mode: text }),
  queued_prompt_dropped: z.object({ type: z.literal('queued_prompt_dropped') }),
  background_ended: z.object({ type: z.literal('background_ended') }),
  model_stopped: z.object({ type: z.literal('model_stopped'), turn }),
  tools_finished: z.object({ type: z.literal('tools_finished'), turn }),
  looked: z.object({
    type: z.literal('looked'),
    turn,
    userMessages: flag,
    queuedPrompt: flag,
    background: flag,
  }),
  look_failed: z.object({ type: z.literal('look_failed'), turn }),
  stop_hooks_finished: z.object({ type: z.literal('stop_hooks_finished'), turn, blocked: flag }),
  prepared: z.object({ type: z.literal('prepared'), turn }),
  prepare_failed: z.object({ type: z.literal('prepare_failed'), turn }),
  stream_opened: z.object({ type: z.literal('stream_opened'), turn }),
} satisfies { readonly [Type in GuardEventType]: z.ZodMiniType<Extract<GuardEvent, { type: Type }>> };

const { prompt_started, ...others } = EVENTS;

/** An event of the machine, whole. */
export const eventSchema: z.ZodMiniType<GuardEvent> = z.discriminatedUnion(
  'type',
  [prompt_started, ...Object.values(others)],
  {
    error: ({ input }) =>
      typeof input === 'object' ? `must be one of: ${Object.keys(EVENTS).join(', ')}` : notAnObject.error,
  },
);

/** A notice as a trace keeps it. */
export interface TracedNotice {
  readonly about: string;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly unfinishedCount: number;
}

/**
 * A decision as a trace keeps it: without the guard prompt. Its words are free, so that the trace of another version can be
 * compared too.
 */
export interface TracedDecision {
  readonly kind: string;
  readonly reason?: string | undefined;
  readonly chain?: string | undefined;
  readonly carries?: readonly string[] | undefined;
  readonly attempt?: number | undefined;
  readonly maxAttempts?: number | undefined;
  readonly notice?: TracedNotice | undefined;
  readonly released?: boolean | undefined;
}

/** Keeps the parts of a decision that a trace keeps, always in the same order. */
export const decisionSchema: z.ZodMiniType<TracedDecision> = z.object(
  {
    kind: text,
    reason: z.optional(text),
    chain: z.optional(text),
    carries: z.optional(z.array(text, { error: 'must be a list of strings' })),
    attempt: z.optional(count),
    maxAttempts: z.optional(count),
    notice: z.optional(
      z.object({ about: text, attempt: count, maxAttempts: count, unfinishedCount: count }, notAnObject),
    ),
    released: z.optional(flag),
  },
  notAnObject,
);

/** The first line: what the trace is, and what the guard's first state was made from. */
export interface TraceHeader {
  readonly trace: 'todo-stop-guard';
  /** The format of the lines. */
  readonly format: 1;
  /** The version of the library that wrote the trace. */
  readonly library: string;
  readonly guard: TracedGuard;
}

/** What `initialGuardState` made the guard's first state from. */
export interface TracedGuard {
  readonly enabled: boolean;
  readonly maxAttempts?: number | undefined;
  readonly plan?: boolean | undefined;
}

/** Reads the first line. */
export const headerSchema: z.ZodMiniType<TraceHeader> = z.object(
  {
    trace: word('todo-stop-guard'),
    format: z.literal(1, { error: 'must be 1: read other formats with the version of the library that wrote them' }),
    library: text.check(z.regex(/^[\w.+-]{1,64}$/, 'must be a version')),
    guard: z.object(
      {
        enabled: flag,
        maxAttempts: z.optional(maxAttempts),
        plan: z.optional(flag),
      },
      notAnObject,
    ),
  },
  notAnObject,
);

/** A step of the machine, a result that was refused at the door, or an event that had a field of a wrong type. */
export type TraceLine =
  | { readonly event: GuardEvent; readonly decision: TracedDecision }
  | { readonly refused: TodoResultRefusal }
  | { readonly malformed: string };

/** Reads any other line. What a line is, its first field tells. */
export const stepSchema: z.ZodMiniType<Extract<TraceLine, { event: unknown }>> = z.object(
  { event: eventSchema, decision: decisionSchema },
  notAnObject,
);

export const refusalSchema: z.ZodMiniType<Extract<TraceLine, { refused: unknown }>> = z.object({
  refused: word(
    'not_native',
    'not_top_level',
    'not_live',
    'not_succeeded',
    'unusable_id',
    'duplicate_call',
    'not_a_todo_list',
  ),
});

export const malformedSchema: z.ZodMiniType<Extract<TraceLine, { malformed: unknown }>> = z.object({ malformed: text });

/** Names the field and what it must be. */
export function problems(error: z.core.$ZodError): string {
  return error.issues.map(({ path, message }) => `${path.join('.') || 'it'} ${message}`).join('; ');
}
