import type { GuardContinue, GuardDecision, RequestPart } from './decisions.ts';
import type { HoldReason, IgnoreReason } from './reasons.ts';
import type { Hand } from './state.ts';

/**
 * The decisions that carry no number: made once, so that a step which changes nothing allocates no more than its pair;
 * and frozen, since every guard of the process shares them.
 */
const fixed = /* @__NO_SIDE_EFFECTS__ */ <Value extends object>(value: Value): Value => Object.freeze(value);

const hold = /* @__NO_SIDE_EFFECTS__ */ (reason: HoldReason): GuardDecision => fixed({ kind: 'hold', reason });
const ignored = /* @__NO_SIDE_EFFECTS__ */ (reason: IgnoreReason): GuardDecision => fixed({ kind: 'ignored', reason });
const carrying = /* @__NO_SIDE_EFFECTS__ */ (...carries: readonly RequestPart[]): GuardContinue =>
  fixed({ kind: 'continue', carries: fixed(carries) });

export const LOOK: GuardDecision = fixed({ kind: 'look' });
export const RUN_STOP_HOOKS: GuardDecision = fixed({ kind: 'run_stop_hooks' });
export const PREPARE: GuardDecision = fixed({ kind: 'prepare' });
export const ADMIT_NEW: GuardDecision = fixed({ kind: 'admit', chain: 'new' });
export const ADMIT_KEPT: GuardDecision = fixed({ kind: 'admit', chain: 'kept' });
export const NOTED: GuardDecision = fixed({ kind: 'noted' });
export const RELEASED: GuardDecision = fixed({ kind: 'noted', released: true });
export const STOP_OFF: GuardDecision = fixed({ kind: 'stop', reason: 'off' });

export const HOLD: { readonly [Reason in HoldReason]: GuardDecision } = {
  turn_live: hold('turn_live'),
  queued_prompt: hold('queued_prompt'),
  retry: hold('retry'),
  background: hold('background'),
};

export const IGNORED: { readonly [Reason in IgnoreReason]: GuardDecision } = {
  off: ignored('off'),
  stale_turn: ignored('stale_turn'),
  already_started: ignored('already_started'),
  settling: ignored('settling'),
  stopped: ignored('stopped'),
  out_of_step: ignored('out_of_step'),
  plan: ignored('plan'),
  suspended: ignored('suspended'),
  no_effect: ignored('no_effect'),
};

/** The host's own tool loop, or a hook's: its results, and nothing of the guard's (B7). */
export const CONTINUE_WITH_RESULTS: GuardContinue = carrying('tool_results');

/** The hook alone goes on. */
export const CONTINUE_WITH_REASON: GuardContinue = carrying('stop_hook_reason');

/** The user goes on, by what was in hand: a superseded hook's reason is left out, since that hook runs again (O6). */
export const CONTINUE_WITH_MESSAGES: { readonly [Held in Hand]: GuardContinue } = {
  nothing: carrying('user_messages'),
  hook_reason: carrying('user_messages'),
  tool_results: carrying('tool_results', 'user_messages'),
};

/** What a closing send is made of (B5). */
export const TOOL_RESULTS: readonly RequestPart[] = CONTINUE_WITH_RESULTS.carries;

/** What a send with a guard prompt is made of, the hook's words before the guard's (O5, R2). */
export const WITH_GUARD_PROMPT: { readonly [Held in Hand]: readonly RequestPart[] } = {
  nothing: carrying('guard_prompt').carries,
  hook_reason: carrying('stop_hook_reason', 'guard_prompt').carries,
  tool_results: carrying('tool_results', 'guard_prompt').carries,
};
