import type { GuardContinue, GuardDecision, RequestPart } from './decisions.ts';
import type { HoldReason, IgnoreReason } from './reasons.ts';
import type { Hand } from './state.ts';

/** The decisions that carry no number: made once, so that a step which changes nothing allocates no more than its pair. */

export const LOOK: GuardDecision = { kind: 'look' };
export const RUN_STOP_HOOKS: GuardDecision = { kind: 'run_stop_hooks' };
export const PREPARE: GuardDecision = { kind: 'prepare' };
export const ADMIT_NEW: GuardDecision = { kind: 'admit', chain: 'new' };
export const ADMIT_KEPT: GuardDecision = { kind: 'admit', chain: 'kept' };
export const NOTED: GuardDecision = { kind: 'noted' };
export const RELEASED: GuardDecision = { kind: 'noted', released: true };
export const STOP_OFF: GuardDecision = { kind: 'stop', reason: 'off' };

export const HOLD: { readonly [Reason in HoldReason]: GuardDecision } = {
  turn_live: { kind: 'hold', reason: 'turn_live' },
  queued_prompt: { kind: 'hold', reason: 'queued_prompt' },
  retry: { kind: 'hold', reason: 'retry' },
  background: { kind: 'hold', reason: 'background' },
};

export const IGNORED: { readonly [Reason in IgnoreReason]: GuardDecision } = {
  off: { kind: 'ignored', reason: 'off' },
  stale_turn: { kind: 'ignored', reason: 'stale_turn' },
  already_started: { kind: 'ignored', reason: 'already_started' },
  settling: { kind: 'ignored', reason: 'settling' },
  stopped: { kind: 'ignored', reason: 'stopped' },
  out_of_step: { kind: 'ignored', reason: 'out_of_step' },
  plan: { kind: 'ignored', reason: 'plan' },
  suspended: { kind: 'ignored', reason: 'suspended' },
  no_effect: { kind: 'ignored', reason: 'no_effect' },
};

export const TOOL_RESULTS: readonly RequestPart[] = ['tool_results'];

/** The host's own tool loop, or a hook's: its results, and nothing of the guard's (B7). */
export const CONTINUE_WITH_RESULTS: GuardContinue = { kind: 'continue', carries: TOOL_RESULTS };

/** The hook alone goes on. */
export const CONTINUE_WITH_REASON: GuardContinue = { kind: 'continue', carries: ['stop_hook_reason'] };

/** The user goes on, by what was in hand: a superseded hook's reason is left out, since that hook runs again (O6). */
export const CONTINUE_WITH_MESSAGES: { readonly [Held in Hand]: GuardContinue } = {
  nothing: { kind: 'continue', carries: ['user_messages'] },
  hook_reason: { kind: 'continue', carries: ['user_messages'] },
  tool_results: { kind: 'continue', carries: ['tool_results', 'user_messages'] },
};

/** What a send with a guard prompt is made of, the hook's words before the guard's (O5, R2). */
export const WITH_GUARD_PROMPT: { readonly [Held in Hand]: readonly RequestPart[] } = {
  nothing: ['guard_prompt'],
  hook_reason: ['stop_hook_reason', 'guard_prompt'],
  tool_results: ['tool_results', 'guard_prompt'],
};
