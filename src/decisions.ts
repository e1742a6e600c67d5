import type { HoldReason, IgnoreReason, StopReason } from './reasons.ts';
import type { GuardState } from './state.ts';

/** What the machine answers: the one thing to do next. */
export type GuardDecision =
  /** Drain the mid-turn messages, look at the prompt queue and the background. Answer: `looked` or `look_failed`. */
  | { readonly kind: 'look' }
  /** Run the external stop hooks. Answer: `stop_hooks_finished`. */
  | { readonly kind: 'run_stop_hooks' }
  /** Make the guard's send ready; this may take long. Answer: `prepared` or `prepare_failed`. */
  | { readonly kind: 'prepare' }
  | GuardSend
  | GuardContinue
  /** End the request. */
  | { readonly kind: 'stop'; readonly reason: StopReason; readonly notice?: GuardNotice }
  /** Run the turn. `new`: a new chain begins, take a fresh background baseline (K1). */
  | { readonly kind: 'admit'; readonly chain: 'new' | 'kept' }
  /** Keep the automatic turn; ask again after a decision that says `released` (Q2). */
  | { readonly kind: 'hold'; readonly reason: HoldReason }
  /** The fact was taken. `released`: ask again for every held turn, in order (Q2). */
  | { readonly kind: 'noted'; readonly notice?: GuardNotice; readonly released?: true }
  /** The fact meant nothing here: the state is the same object. An ignored `stream_opened` means: close the stream. */
  | { readonly kind: 'ignored'; readonly reason: IgnoreReason };

/** Submit the guard's request now, without waiting for anything (O6). Answer: `stream_opened`. */
export interface GuardSend {
  readonly kind: 'send';
  readonly carries: readonly RequestPart[];
  /** 1 to `maxAttempts`. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** The guard prompt (N1, N2); absent on a closing send (B5). */
  readonly prompt?: string;
}

/** Go on in the host's own loop, its own way. Answer: `stream_opened`. */
export interface GuardContinue {
  readonly kind: 'continue';
  readonly carries: readonly RequestPart[];
}

/** What a request is made of, in the order of `carries`. */
export type RequestPart = 'tool_results' | 'stop_hook_reason' | 'guard_prompt' | 'user_messages';

/** What the user is told (N3, N4). */
export interface GuardNotice {
  readonly about: 'continuation' | 'exhaustion';
  /** The attempt that was spent; for an exhaustion, how many were. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** 0 for a closing send (B5). */
  readonly unfinishedCount: number;
}

/** What a decision is about. */
export type GuardDecisionKind = GuardDecision['kind'];

/** One step of the machine: the next state and what to do. */
export interface GuardStep {
  readonly state: GuardState;
  readonly decision: GuardDecision;
}
