import { initialGuardState, step } from '../src/machine.ts';
import type { GuardEvent } from '../src/machine.ts';

/** Events that mean nothing while the first turn works: late ones of another turn, and answers that nobody asked for. */
export const IGNORED: readonly GuardEvent[] = [
  { type: 'model_stopped', turn: 'gone' },
  { type: 'todos_written', turn: 'gone', unfinishedCount: 3 },
  { type: 'looked', turn: 'gone', userMessages: false, queuedPrompt: false, background: false },
  { type: 'prompt_started', turn: 'p1', origin: 'user' },
  { type: 'stream_opened', turn: 'p1' },
  { type: 'background_ended' },
  { type: 'queued_prompt_dropped' },
  { type: 'approval_mode_changed', mode: 'yolo' },
];

export const START: GuardEvent = { type: 'prompt_started', turn: 'p1', origin: 'user' };

/** A guard in its first turn. */
export const ON = step(initialGuardState({ enabled: true }), START).state;

export const OFF = initialGuardState({ enabled: false });
