import { isDeepStrictEqual } from 'node:util';
import type { GuardDecision } from '../../src/decisions.ts';
import type { GuardEvent } from '../../src/events.ts';
import { holds } from '../../src/holds.ts';
import { initialGuardState } from '../../src/initial-state.ts';
import type { GuardState } from '../../src/state.ts';
import { step } from '../../src/step.ts';
import { NaiveGuard } from './naive-guard.ts';
import { MoveReader } from './moves.ts';
import type { Move } from './moves.ts';

/** What the two guards must agree about after each event. */
export interface Account {
  readonly decision: GuardDecision;
  readonly status: string;
  readonly unfinishedCount: number;
  readonly spent: number | null;
  readonly queuedPrompt: boolean;
  readonly turn: string | null;
  readonly step: string | null;
  readonly heldRelated: string | null;
  readonly heldUnrelated: string | null;
}

/** The first event that the two guards answer differently, with what led to it. */
export interface Disagreement {
  readonly events: readonly GuardEvent[];
  readonly machine: Account;
  readonly naive: Account;
}

/** Tells the same events to both guards, until they disagree. */
export function findDisagreement(
  maxAttempts: number,
  plan: boolean,
  moves: readonly Move[],
  machine: typeof step = step,
): Disagreement | null {
  const naive = new NaiveGuard(maxAttempts, plan);
  const reader = new MoveReader();
  const events: GuardEvent[] = [];
  let state = initialGuardState({ enabled: true, maxAttempts, plan });
  for (const move of moves) {
    const event = reader.read(move, state);
    events.push(event);
    const answered = machine(state, event);
    state = answered.state;
    const machines = accountOfMachine(state, answered.decision);
    const naives = accountOfNaive(naive, naive.tell(event));
    if (!isDeepStrictEqual(machines, naives)) return { events, machine: machines, naive: naives };
  }
  return null;
}

function accountOfMachine(state: GuardState, decision: GuardDecision): Account {
  if (state.off) throw new TypeError('state: pass a guard that is on.');
  const { chain, turn, queuedPrompt } = state;
  return {
    decision,
    status: chain.status,
    unfinishedCount: 'unfinishedCount' in chain ? chain.unfinishedCount : 0,
    spent: 'spent' in chain ? chain.spent : null,
    queuedPrompt,
    turn: turn?.id ?? null,
    step: turn?.stop.at ?? null,
    heldRelated: holds(state, true),
    heldUnrelated: holds(state, false),
  };
}

function accountOfNaive(naive: NaiveGuard, decision: GuardDecision): Account {
  const status = naive.status();
  return {
    decision,
    status,
    unfinishedCount: naive.count,
    spent: status === 'exhausted' || status === 'suspended' ? null : naive.spent,
    queuedPrompt: naive.queued,
    turn: naive.turn,
    step: naive.turn === null ? null : naive.step,
    heldRelated: naive.holds(true),
    heldUnrelated: naive.holds(false),
  };
}
