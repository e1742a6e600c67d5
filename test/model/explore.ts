import type { GuardEvent } from '../../src/events.ts';
import { initialGuardState } from '../../src/initial-state.ts';
import type { GuardChain, GuardOn } from '../../src/state.ts';
import type { step } from '../../src/step.ts';
import { EVERY_EVENT, LIVE } from './every-event.ts';
import { INVARIANTS } from './invariants.ts';
import type { Invariant, Transition } from './invariants.ts';
import { NOTHING_REMEMBERED, remember } from './memory.ts';
import type { Memory } from './memory.ts';

export type Machine = typeof step;

/** A state that can be reached, with what the onlooker remembers of the way. */
export interface Situation {
  readonly state: GuardOn;
  readonly memory: Memory;
  /** How it was first reached, by one of the shortest ways; `null` for the initial one. */
  readonly reachedBy: { readonly from: Situation; readonly event: GuardEvent } | null;
}

/** An edge of the graph, for an event that was taken: both ends are indices of `situations`. */
export interface Edge {
  readonly from: number;
  readonly to: number;
  readonly transition: Transition;
}

/** An invariant that does not hold, and the shortest way to where it does not. */
export interface Violation {
  readonly invariant: string;
  readonly path: readonly GuardEvent[];
  readonly transition: Transition;
}

export interface Exploration {
  readonly situations: readonly Situation[];
  /** All steps that were tried, those that an event left where it was among them. */
  readonly transitions: number;
  readonly edges: readonly Edge[];
  readonly violations: readonly Violation[];
}

export interface ExploreOptions {
  readonly invariants?: readonly Invariant[];
  /** A machine that spends without end has no end of states: a mutant's exploration stops here. */
  readonly situationsMax?: number;
  /** Stop at the first violation. */
  readonly untilViolated?: boolean;
  /** Sees every transition. */
  readonly visit?: (transition: Transition) => void;
}

/**
 * Explores a machine whole: breadth first from the initial state, every reachable state against every event. Counts are
 * abstracted to none, one and many; every live turn goes by the same name.
 */
export function explore(
  machine: Machine,
  maxAttempts: number,
  { invariants = INVARIANTS, situationsMax = 50_000, untilViolated = false, visit }: ExploreOptions = {},
): Exploration {
  const first = abstract(onlyOn(initialGuardState({ enabled: true, maxAttempts })));
  const situations: Situation[] = [{ state: first, memory: NOTHING_REMEMBERED, reachedBy: null }];
  const indices = new Map([[keyOf(first, NOTHING_REMEMBERED), 0]]);
  const edges: Edge[] = [];
  const violations: Violation[] = [];
  let transitions = 0;

  for (const [from, situation] of situations.entries()) {
    if (situations.length > situationsMax) break;
    const { state, memory } = situation;
    for (const event of EVERY_EVENT) {
      const { state: next, decision } = machine(state, event);
      const after = onlyOn(next);
      const then = remember(memory, event, decision);
      const transition: Transition = { before: state, remembered: memory, event, decision, after, then };
      transitions += 1;
      visit?.(transition);
      for (const { name, holds } of invariants) {
        if (!holds(transition)) violations.push({ invariant: name, path: [...pathTo(situation), event], transition });
      }
      if (untilViolated && violations.length > 0) return { situations, transitions, edges, violations };
      if (after === state && then === memory) continue;

      const reached = abstract(after);
      const key = keyOf(reached, then);
      const to = indices.get(key) ?? situations.length;
      if (to === situations.length) {
        indices.set(key, to);
        situations.push({ state: reached, memory: then, reachedBy: { from: situation, event } });
      }
      edges.push({ from, to, transition });
    }
  }
  return { situations, transitions, edges, violations };
}

function pathTo({ reachedBy }: Situation): readonly GuardEvent[] {
  return reachedBy === null ? [] : [...pathTo(reachedBy.from), reachedBy.event];
}

/** None, one, many; and the one name of every live turn. Frozen, so that a machine that changes its input throws. */
function abstract(state: GuardOn): GuardOn {
  return deepFreeze({
    ...state,
    chain: abstractCount(state.chain),
    turn: state.turn && { ...state.turn, id: LIVE },
  });
}

function abstractCount(chain: GuardChain): GuardChain {
  return 'unfinishedCount' in chain ? { ...chain, unfinishedCount: Math.min(chain.unfinishedCount, 2) } : chain;
}

function keyOf({ chain, turn, queuedPrompt, plan }: GuardOn, memory: Memory): string {
  const flags = `${String(turn?.automatic)},${String(queuedPrompt)},${String(plan)}`;
  return [wordsOf(chain), turn === null ? '' : wordsOf(turn.stop), flags, wordsOf(memory)].join('|');
}

/** A variant's fields, in whatever order it was made. */
function wordsOf(variant: object): string {
  return Object.entries(variant)
    .map(([field, value]) => `${field}=${String(value)}`)
    .sort()
    .join();
}

function deepFreeze<Value extends object>(value: Value): Value {
  for (const part of Object.values(value)) if (typeof part === 'object' && part !== null) deepFreeze(part as object);
  return Object.freeze(value);
}

function onlyOn(state: ReturnType<Machine>['state']): GuardOn {
  if (state.off) throw new TypeError('state: a guard that is on must stay on (G4).');
  return state;
}
