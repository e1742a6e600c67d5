import { initialGuardState, step } from '../src/machine.ts';
import type { GuardDecision, GuardEvent } from '../src/machine.ts';
import type { GuardFact } from '../src/facts.ts';
import type { BackgroundSnapshot } from '../src/background.ts';

/** A recorded session that takes every kind of decision, every way to carry on and every reason to hold. */
export const SESSION: readonly GuardEvent[] = [
  // The user asks; the model writes a list, works, and stops with items open.
  { type: 'prompt_started', turn: 'p1', origin: 'user' },
  { type: 'user_message_sent', turn: 'p1' },
  { type: 'todos_written', turn: 'p1', unfinishedCount: 8 },
  { type: 'tools_finished', turn: 'p1' },
  { type: 'stream_opened', turn: 'p1' },
  { type: 'model_stopped', turn: 'p1' },
  { type: 'model_stopped', turn: 'p1' },
  { type: 'looked', turn: 'p1', userMessages: false, queuedPrompt: false, background: false },
  // A hook blocks the same stop: hook and guard share one stream.
  { type: 'stop_hooks_finished', turn: 'p1', blocked: true },
  { type: 'looked', turn: 'p1', userMessages: false, queuedPrompt: false, background: false },
  { type: 'prepared', turn: 'p1' },
  { type: 'looked', turn: 'p1', userMessages: false, queuedPrompt: false, background: false },
  { type: 'stream_opened', turn: 'p1' },
  { type: 'stream_opened', turn: 'p1' },
  // The second and last stream of the budget is the guard's alone.
  { type: 'model_stopped', turn: 'p1' },
  { type: 'looked', turn: 'p1', userMessages: false, queuedPrompt: false, background: false },
  { type: 'stop_hooks_finished', turn: 'p1', blocked: false },
  { type: 'looked', turn: 'p1', userMessages: false, queuedPrompt: false, background: false },
  { type: 'prepared', turn: 'p1' },
  { type: 'looked', turn: 'p1', userMessages: false, queuedPrompt: false, background: false },
  { type: 'stream_opened', turn: 'p1' },
  // It is spent, and that is said once. What the user then writes begins a fresh stage.
  { type: 'model_stopped', turn: 'p1' },
  { type: 'looked', turn: 'p1', userMessages: false, queuedPrompt: false, background: false },
  { type: 'stop_hooks_finished', turn: 'p1', blocked: false },
  { type: 'looked', turn: 'p1', userMessages: false, queuedPrompt: false, background: false },
  { type: 'user_message_sent', turn: 'p1' },
  { type: 'model_stopped', turn: 'p1' },
  { type: 'looked', turn: 'p1', userMessages: true, queuedPrompt: false, background: false },
  { type: 'stream_opened', turn: 'p1' },
  // A task of this turn still runs: the guard waits for it.
  { type: 'model_stopped', turn: 'p1' },
  { type: 'looked', turn: 'p1', userMessages: false, queuedPrompt: false, background: true },
  { type: 'stop_hooks_finished', turn: 'p1', blocked: false },
  { type: 'looked', turn: 'p1', userMessages: false, queuedPrompt: false, background: true },
  { type: 'automatic_turn_requested', turn: 'c1', related: false },
  { type: 'turn_settled', turn: 'p1', background: true },
  { type: 'automatic_turn_requested', turn: 'c1', related: false },
  // The task's result completes the list; its tool results are sent without a guard prompt.
  { type: 'automatic_turn_requested', turn: 'n1', related: true },
  { type: 'model_stopped', turn: 'n1' },
  { type: 'looked', turn: 'n1', userMessages: false, queuedPrompt: false, background: false },
  { type: 'prepared', turn: 'n1' },
  { type: 'looked', turn: 'n1', userMessages: false, queuedPrompt: false, background: false },
  { type: 'stream_opened', turn: 'n1' },
  { type: 'todos_written', turn: 'n1', unfinishedCount: 0 },
  { type: 'tools_finished', turn: 'n1' },
  { type: 'looked', turn: 'n1', userMessages: false, queuedPrompt: false, background: false },
  { type: 'prepared', turn: 'n1' },
  { type: 'looked', turn: 'n1', userMessages: false, queuedPrompt: false, background: false },
  { type: 'stream_opened', turn: 'n1' },
  { type: 'model_stopped', turn: 'n1' },
  { type: 'turn_settled', turn: 'n1', background: false },
  // An error waits for a retry; the retried turn finds a queued prompt, which is dropped.
  { type: 'prompt_started', turn: 'p2', origin: 'user' },
  { type: 'todos_written', turn: 'p2', unfinishedCount: 3 },
  { type: 'turn_failed', turn: 'p2' },
  { type: 'turn_settled', turn: 'p2', background: false },
  { type: 'automatic_turn_requested', turn: 'c1', related: false },
  { type: 'prompt_started', turn: 'p3', origin: 'retry' },
  { type: 'model_stopped', turn: 'p3' },
  { type: 'looked', turn: 'p3', userMessages: false, queuedPrompt: true, background: false },
  { type: 'turn_settled', turn: 'p3', background: false },
  { type: 'automatic_turn_requested', turn: 'c1', related: false },
  { type: 'queued_prompt_dropped' },
  // The held cron turn arms its own chain and is stopped hard.
  { type: 'automatic_turn_requested', turn: 'c1', related: false },
  { type: 'todos_written', turn: 'c1', unfinishedCount: 2 },
  { type: 'hard_stopped', turn: 'c1', reason: 'token_limit' },
  { type: 'todos_written', turn: 'c1', unfinishedCount: 1 },
  { type: 'turn_settled', turn: 'c1', background: false },
  { type: 'todos_written', turn: 'c1', unfinishedCount: 1 },
];

/** The recorded decisions: what the machine answers. */
export const DECISIONS: readonly GuardDecision[] = replay();

function replay(): GuardDecision[] {
  let state = initialGuardState({ enabled: true });
  return SESSION.map((event) => {
    const next = step(state, event);
    state = next.state;
    return next.decision;
  });
}

const NO_BACKGROUND: BackgroundSnapshot = { tasks: [], notifications: [] };
const BUILD = { kind: 'shell', id: 'build' } as const;
const BUILDING: BackgroundSnapshot = { tasks: [{ ...BUILD, state: 'running' }], notifications: [] };

/** The same session as a host tells it to the shell: with snapshots, from which the shell finds the same booleans. */
export const FACTS: readonly GuardFact[] = SESSION.map((event): GuardFact => {
  switch (event.type) {
    case 'prompt_started':
      return { ...event, background: NO_BACKGROUND };
    case 'automatic_turn_requested': {
      const { type, turn, related } = event;
      return { type, turn, source: related ? BUILD : null, background: NO_BACKGROUND };
    }
    case 'looked':
    case 'turn_settled':
      return { ...event, background: event.background ? BUILDING : NO_BACKGROUND };
    default:
      return event;
  }
});
