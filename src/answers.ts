/**
 * How each answer is put together. Which one is given is for `step.ts` alone.
 *
 * @module
 */
import type { GuardContinue, GuardDecision, GuardNotice, GuardStep } from './decisions.ts';
import * as decide from './fixed-decisions.ts';
import { holds } from './holds.ts';
import type { StopReason } from './reasons.ts';
import type { GuardChain, GuardOn, GuardState, GuardTurn, Hand, StopStep } from './state.ts';

/** A step from which the kind of state is known. */
type StepTo<State extends GuardState> = GuardStep & { readonly state: State };

/** A step of a guard that is on. */
export type StepOn = StepTo<GuardOn>;

/** The step that waits for a look. */
export type Looking = Extract<StopStep, { at: 'looking' }>;

/** The steps that hold nothing. */
export const WORKING: StopStep = { at: 'working' };
export const GUARD_STREAM: StopStep = { at: 'guard_stream' };
export const STOPPED: StopStep = { at: 'stopped' };
const CONTINUING: StopStep = { at: 'continuing' };

/** The same guard with another chain and turn. Written out, since a copy by spread takes ten times as long. */
export function guardWith(
  { maxAttempts, queuedPrompt, plan }: GuardOn,
  chain: GuardChain,
  turn: GuardTurn | null,
): GuardOn {
  return { off: false, maxAttempts, chain, turn, queuedPrompt, plan };
}

/** The same turn at another step of its dialogue. */
export function turnAt({ id, automatic }: GuardTurn, stop: StopStep): GuardTurn {
  return { id, automatic, stop };
}

/** The turn's dialogue comes to `stop`, with this decision; and the chain changes, if another one is passed. */
export function moveTo(
  state: GuardOn,
  turn: GuardTurn,
  stop: StopStep,
  decision: GuardDecision,
  chain: GuardChain = state.chain,
): StepOn {
  return { state: guardWith(state, chain, turnAt(turn, stop)), decision };
}

/** Asks the host to look; `hand` comes along. */
export function look(state: GuardOn, turn: GuardTurn, before: Looking['before'], hand: Hand): StepOn {
  return moveTo(state, turn, { at: 'looking', before, hand }, decide.LOOK);
}

/** Asks the host to run the stop hooks. */
export function runStopHooks(state: GuardOn, turn: GuardTurn, sitsOut: boolean): StepOn {
  return moveTo(state, turn, { at: 'hooks', sitsOut }, decide.RUN_STOP_HOOKS);
}

/** A send that the host owns: nothing of the guard's is in it. */
export function proceed(state: GuardOn, turn: GuardTurn, decision: GuardContinue, chain?: GuardChain): StepOn {
  return moveTo(state, turn, CONTINUING, decision, chain);
}

/** Ends the request, and the dialogue with it. */
export function stop(state: GuardOn, turn: GuardTurn, reason: StopReason, chain?: GuardChain): StepOn {
  return moveTo(state, turn, STOPPED, { kind: 'stop', reason }, chain);
}

/** The fact was taken. Q2: if something that held related turns, or unrelated ones, holds them no more, that is said. */
export function noted(before: GuardOn, after: GuardOn, notice?: GuardNotice): StepOn {
  const isReleased = opens(before, after, true) || opens(before, after, false);
  if (notice === undefined) return { state: after, decision: isReleased ? decide.RELEASED : decide.NOTED };
  return { state: after, decision: isReleased ? { kind: 'noted', notice, released: true } : { kind: 'noted', notice } };
}

function opens(before: GuardState, after: GuardState, related: boolean): boolean {
  return holds(after, related) === null && holds(before, related) !== null;
}

/** The fact changes the chain, or is ignored if it does not. */
export function withChain(state: GuardOn, chain: GuardChain): StepOn {
  return chain === state.chain
    ? unchanged(state, chain.status === 'suspended' ? decide.IGNORED.suspended : decide.IGNORED.no_effect)
    : noted(state, guardWith(state, chain, state.turn));
}

/** The state stays the same object. */
export function unchanged<State extends GuardState>(state: State, decision: GuardDecision): StepTo<State> {
  return { state, decision };
}

/** An answer to a question that is not open. */
export function outOfStep(state: GuardOn, turn: GuardTurn): StepOn {
  return unchanged(state, turn.stop.at === 'stopped' ? decide.IGNORED.stopped : decide.IGNORED.out_of_step);
}
