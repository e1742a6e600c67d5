/**
 * The closed lists of reasons. Every cause has one word, and every word one cause.
 *
 * @module
 */

/** Facts of a turn that suspend its chain until a new one starts (H1). */
export const HARD_STOP_REASONS = [
  'cancelled',
  'permission_cancelled',
  'post_tool_use_stop',
  'loop_detected',
  'repeated_calls',
  'token_limit',
  'stop_hook_cap',
] as const;

/** Facts of the session that end a chain, whatever turn is live (C6, H2, H1). */
export const CHAIN_END_REASONS = [
  'rewound',
  'history_restored',
  'branched',
  'directory_changed',
  'session_replaced',
  'retry_abandoned',
  'cancelled',
] as const;

/** Why a turn was stopped hard (H1). */
export type HardStopReason = (typeof HARD_STOP_REASONS)[number];

/**
 * Why a chain was ended from outside its turns: trust was revoked (C6), the wait for a retry was given up (H2),
 * or the user cancelled while no turn ran (H1).
 */
export type ChainEndReason = (typeof CHAIN_END_REASONS)[number];

/** Why a chain is suspended; only a new chain leaves a suspension (H3). */
export type SuspensionReason = HardStopReason | ChainEndReason | 'prepare_failed' | 'queued_prompt_dropped';

/** Why a stop ends the request. */
export type StopReason =
  | HardStopReason
  /** A complete prompt waits in the queue; it comes first (O2). */
  | 'queued_prompt'
  /** Relevant background work is live or queued; the guard defers to it (O4). */
  | 'background'
  /** The budget of the stage is spent and items remain (B8). */
  | 'exhausted'
  /** A look failed, so the guard sat this stop out (O8). */
  | 'look_failed'
  /** The guard has nothing to continue for. */
  | 'nothing_unfinished'
  /** The chain waits for a trusted retry or continue (H2). */
  | 'paused'
  /** The chain was stopped hard, or its trust was revoked (H1, H3, C6). */
  | 'suspended'
  /** The provider or the network failed while the stop was being settled (H2). */
  | 'turn_failed'
  /** Preparing the guard's send failed (O9). */
  | 'prepare_failed'
  /** The guard is off; the hooks have let the turn end (G3). */
  | 'off';

/** Why an automatic turn waits (C4, C5). */
export type HoldReason =
  /** Another turn is live. */
  | 'turn_live'
  /** A queued prompt has priority (O2). */
  | 'queued_prompt'
  /** The chain waits for a retry (H2). */
  | 'retry'
  /** The chain waits for its own background work (O4). */
  | 'background';

/** Why an event changed nothing. */
export type IgnoreReason =
  /** The guard is off (G3). */
  | 'off'
  /** The event belongs to a turn that is not the live one (T6). */
  | 'stale_turn'
  /** This turn is live already. */
  | 'already_started'
  /** The stop of this turn is being settled (O7). */
  | 'settling'
  /** This turn's stop has been settled; only `turn_settled` is left. */
  | 'stopped'
  /** An answer to a question that was not asked. */
  | 'out_of_step'
  /** In plan mode nothing arms (C8). */
  | 'plan'
  /** The chain is suspended (H3). */
  | 'suspended'
  /** The fact is known already, or means nothing here. */
  | 'no_effect';
