import * as z from 'zod/mini';
import type { GuardDecision } from '../decisions.ts';
import type { GuardEvent } from '../events.ts';
import { initialGuardState } from '../initial-state.ts';
import type { GuardState } from '../state.ts';
import { step } from '../step.ts';
import type { TodoResultRefused } from '../todo-result.ts';
import { decisionSchema } from './lines.ts';
import type { TracedDecision, TracedGuard } from './lines.ts';
import type { Trace } from './read.ts';

/** A trace that was played again. */
export interface TraceReplay {
  /** What the guard began with. */
  readonly initial: GuardState;
  /** Every line that was replayed, up to and with the one that departs. */
  readonly steps: readonly ReplayedStep[];
  /** Where the machine decides otherwise than the trace says; `null` when it never does. */
  readonly departure: TraceDeparture | null;
}

/** One line of the trace, and what the machine made of it. */
export interface ReplayedStep {
  /** Its place in the file, from 1. */
  readonly line: number;
  /** `null` for a Todo result that was refused at the door: the machine never heard of it. */
  readonly event: GuardEvent | null;
  /** What this machine decides, or the refusal as it was recorded. */
  readonly decision: GuardDecision | TodoResultRefused;
  /** The state after it. */
  readonly state: GuardState;
}

/** The first line that does not replay to the same decision. */
export interface TraceDeparture {
  readonly line: number;
  readonly event: GuardEvent;
  /** What the trace says. */
  readonly expected: TracedDecision;
  /** What this machine decides. */
  readonly got: TracedDecision;
}

/**
 * Plays a trace on a machine of its own. There is no way from here into a guard: nothing about one can be restored (C9).
 *
 * Ends at the first departure, since from there on the states are not the same either.
 */
export function replayTrace({ header, entries }: Trace): TraceReplay {
  const initial = firstState(header.guard);
  const steps: ReplayedStep[] = [];
  let state = initial;
  for (const entry of entries) {
    const { line } = entry;
    if ('refused' in entry) {
      steps.push({ line, event: null, decision: { kind: 'ignored', reason: entry.refused }, state });
      continue;
    }
    const { event, decision: expected } = entry;
    const next = step(state, event);
    state = next.state;
    steps.push({ line, event, decision: next.decision, state });
    const got = z.parse(decisionSchema, next.decision);
    if (JSON.stringify(got) !== JSON.stringify(expected)) {
      return { initial, steps, departure: { line, event, expected, got } };
    }
  }
  return { initial, steps, departure: null };
}

function firstState({ enabled, maxAttempts, plan }: TracedGuard): GuardState {
  return initialGuardState({
    enabled,
    ...(maxAttempts !== undefined && { maxAttempts }),
    ...(plan !== undefined && { plan }),
  });
}
