import type { GuardEvent } from '../../src/events.ts';
import { CHAIN_END_REASONS, HARD_STOP_REASONS } from '../../src/reasons.ts';

/** The turns of an exploration: every live turn goes by one name, so that the machine stays finite. */
export const LIVE = 'live';
export const FRESH = 'fresh';
export const STALE = 'stale';
export const UNKNOWN = 'unknown';

const EITHER = [false, true] as const;

/** Every event of one turn, with every payload that the machine could tell apart. */
function eventsOf(turn: string): readonly GuardEvent[] {
  return [
    ...EITHER.map((background): GuardEvent => ({ type: 'turn_settled', turn, background })),
    // None, one and many; three tells a many that changes from one that does not.
    ...[0, 1, 2, 3].map((unfinishedCount): GuardEvent => ({ type: 'todos_written', turn, unfinishedCount })),
    { type: 'user_message_sent', turn },
    ...HARD_STOP_REASONS.map((reason): GuardEvent => ({ type: 'hard_stopped', turn, reason })),
    { type: 'turn_failed', turn },
    { type: 'model_stopped', turn },
    { type: 'tools_finished', turn },
    ...EITHER.flatMap((userMessages) =>
      EITHER.flatMap((queuedPrompt) =>
        EITHER.map((background): GuardEvent => ({ type: 'looked', turn, userMessages, queuedPrompt, background })),
      ),
    ),
    { type: 'look_failed', turn },
    ...EITHER.map((blocked): GuardEvent => ({ type: 'stop_hooks_finished', turn, blocked })),
    { type: 'prepared', turn },
    { type: 'prepare_failed', turn },
    { type: 'stream_opened', turn },
  ];
}

function beginningsOf(turn: string): readonly GuardEvent[] {
  return [
    { type: 'prompt_started', turn, origin: 'user' },
    { type: 'prompt_started', turn, origin: 'retry' },
    { type: 'prompt_started', turn, origin: 'continue' },
    { type: 'automatic_turn_requested', turn, related: true },
    { type: 'automatic_turn_requested', turn, related: false },
  ];
}

/**
 * Every event of the live turn, of one that was superseded or has settled, and of one that never was; every beginning of
 * a turn, also of one that is live; and every event of the session.
 */
export const EVERY_EVENT: readonly GuardEvent[] = [
  ...[LIVE, STALE, UNKNOWN].flatMap(eventsOf),
  ...[FRESH, LIVE].flatMap(beginningsOf),
  ...CHAIN_END_REASONS.map((reason): GuardEvent => ({ type: 'chain_ended', reason })),
  { type: 'approval_mode_changed', mode: 'plan' },
  { type: 'approval_mode_changed', mode: 'default' },
  { type: 'approval_mode_changed', mode: 'yolo' },
  { type: 'queued_prompt_dropped' },
  { type: 'background_ended' },
];
