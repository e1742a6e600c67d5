import { initialGuardState, step } from 'todo-stop-guard/machine';
import type { GuardDecision, GuardOn, GuardState, GuardStep } from 'todo-stop-guard/machine';
import { parseEvent } from './parse-event.ts';

/** A story told to the machine: where it has come to, and what it has answered. Every play makes a new one. */
export interface Scenario extends GuardStep {
  /** Everything that was decided, in order. */
  readonly decisions: readonly GuardDecision[];
  /** Tells further events, in the notation of `parseEvent`. */
  play(...lines: string[]): Scenario;
}

/** A guard that is on, before anything has happened. */
export function guardOn(options: { maxAttempts?: number; plan?: boolean } = {}): GuardOn {
  const state = initialGuardState({ enabled: true, ...options });
  if (state.off) throw new Error('The guard is off.');
  return state;
}

/** Begins a story in a state; what was decided before it counts as `noted`. */
export function from(state: GuardState): Scenario {
  return continueFrom({ state, decision: { kind: 'noted' } }, []);
}

function continueFrom(last: GuardStep, decisions: readonly GuardDecision[]): Scenario {
  return {
    ...last,
    decisions,
    play: (...lines) => {
      let current = last;
      const made = [...decisions];
      for (const line of lines) {
        current = step(deepFreeze(current.state), parseEvent(line));
        made.push(current.decision);
      }
      return continueFrom(current, made);
    },
  };
}

/** Tells events to a new guard. */
export function play(...lines: string[]): Scenario {
  return from(guardOn()).play(...lines);
}

/** A prompt of the user has written a list with this many unfinished items. */
export function armed(unfinishedCount = 3, maxAttempts = 2): Scenario {
  return from(guardOn({ maxAttempts })).play('prompt_started user', `todos_written ${unfinishedCount}`);
}

/** From a natural stop on a foreground turn to the guard's send. */
export const TO_SEND: readonly string[] = [
  'model_stopped',
  'looked',
  'stop_hooks_finished',
  'looked',
  'prepared',
  'looked',
];

/** The same with a hook that blocks. */
export const TO_COALESCED_SEND: readonly string[] = TO_SEND.map((line) =>
  line === 'stop_hooks_finished' ? `${line} blocked` : line,
);

/** A natural stop is continued by the guard, and the stream opens. */
export const CONTINUED: readonly string[] = [...TO_SEND, 'stream_opened'];

/** From the tool results of a guard stream to the guard's send. */
export const RESULTS_TO_SEND: readonly string[] = ['tools_finished', 'looked', 'prepared', 'looked'];

/** A natural stop that nothing continues, up to the last verdict. */
export const TO_VERDICT: readonly string[] = ['model_stopped', 'looked', 'stop_hooks_finished', 'looked'];

/** The machine must not write to what it is given: a frozen value would throw. */
export function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
