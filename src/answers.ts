import type { GuardContinue, GuardStep } from './decisions.ts';
import * as decide from './fixed-decisions.ts';
import type { IgnoreReason, StopReason } from './reasons.ts';
import type { GuardChain, GuardOn, GuardTurn, StopStep } from './state.ts';

/** A step of a guard that is on. How each answer is put together; which one is given is for `step.ts` alone. */
export type StepOn = GuardStep & { readonly state: GuardOn };

export type Looking = Extract<StopStep, { at: 'looking' }>;

/** The steps that hold nothing. */
export const WORKING: StopStep = { at: 'working' };
export const GUARD_STREAM: StopStep = { at: 'guard_stream' };
export const STOPPED: StopStep = { at: 'stopped' };
const CONTINUING: StopStep = { at: 'continuing' };

export function atStep(state: GuardOn, turn: GuardTurn, stop: StopStep): GuardOn {
  return { ...state, turn: { ...turn, stop } };
}

export function look(state: GuardOn, turn: GuardTurn, stop: Looking): StepOn {
  return { state: atStep(state, turn, stop), decision: decide.LOOK };
}

export function runStopHooks(state: GuardOn, turn: GuardTurn, sitsOut: boolean): StepOn {
  return { state: atStep(state, turn, { at: 'hooks', sitsOut }), decision: decide.RUN_STOP_HOOKS };
}

export function proceed(state: GuardOn, turn: GuardTurn, decision: GuardContinue): StepOn {
  return { state: atStep(state, turn, CONTINUING), decision };
}

export function stop(state: GuardOn, turn: GuardTurn, reason: StopReason): StepOn {
  return { state: atStep(state, turn, STOPPED), decision: { kind: 'stop', reason } };
}

export function noted(state: GuardOn): StepOn {
  return { state, decision: decide.NOTED };
}

export function withChain(state: GuardOn, chain: GuardChain): StepOn {
  if (chain !== state.chain) return noted({ ...state, chain });
  return ignored(state, chain.status === 'suspended' ? 'suspended' : 'no_effect');
}

export function ignored(state: GuardOn, reason: IgnoreReason): StepOn {
  return { state, decision: decide.IGNORED[reason] };
}

/** An answer to a question that is not open. */
export function outOfStep(state: GuardOn, turn: GuardTurn): StepOn {
  return ignored(state, turn.stop.at === 'stopped' ? 'stopped' : 'out_of_step');
}
