import type { SuspensionReason } from './reasons.ts';

/** A turn's id: not empty, never used twice. Compared strictly; only the live turn's id ever matches (T6). */
export type TurnId = string;

/** The whole of the guard: a plain, immutable value. Nothing of it may be persisted (C9). */
export type GuardState = GuardOff | GuardOn;

/** The guard is off: every event returns this same object (G1, G2, G3). */
export interface GuardOff {
  readonly off: true;
}

/** The guard is on. */
export interface GuardOn {
  readonly off: false;
  /** Guard streams in a stage, 1 to 10 (B1). Constant for the life of a guard. */
  readonly maxAttempts: number;
  /** The work chain: it owns trust, the unfinished count and the budget. */
  readonly chain: GuardChain;
  /** The live turn, until it has settled. */
  readonly turn: GuardTurn | null;
  /** A look found a queued prompt, and neither has a prompt started since nor the last one been dropped (O2). */
  readonly queuedPrompt: boolean;
  /** The approval mode is `plan` (C8). */
  readonly plan: boolean;
}

/** A work chain. Each variant holds only what means something in it. */
export type GuardChain =
  /** Nothing trusted is unfinished. With attempts spent, a tool-result send may still be owed (B5). */
  | { readonly status: 'idle'; readonly spent: number }
  /** There are trusted unfinished items: the chain may continue at a natural stop. */
  | { readonly status: 'armed'; readonly unfinishedCount: number; readonly spent: number }
  /** An error waits for a retry (H2), or the turn has settled while relevant background work lives (O4). */
  | {
      readonly status: 'paused';
      readonly unfinishedCount: number;
      readonly spent: number;
      readonly until: 'retry' | 'background';
    }
  /** The budget is spent and that has been said (B8). The count may fall to none and rise again. */
  | { readonly status: 'exhausted'; readonly unfinishedCount: number }
  /** A hard stop, revoked trust, or a dropped prompt (H1, C6, O2). Left only by a new chain (H3). */
  | { readonly status: 'suspended'; readonly reason: SuspensionReason };

/** The live turn. */
export interface GuardTurn {
  readonly id: TurnId;
  /** A cron, notification or wakeup turn: it has no stop hooks (O3). */
  readonly automatic: boolean;
  readonly stop: StopStep;
}

/** How far the stop dialogue of the live turn is. Each step but the first three waits for exactly one answer. */
export type StopStep =
  /** The host's own loop runs. */
  | { readonly at: 'working' }
  /** A stream owed to the guard alone is open: its tool results come back to the guard (B3). */
  | { readonly at: 'guard_stream' }
  /** The stop is settled; the turn is not, yet. */
  | { readonly at: 'stopped' }
  /** Waits for `looked` or `look_failed`. */
  | { readonly at: 'looking'; readonly before: 'hooks' | 'verdict' | 'send'; readonly hand: Hand }
  /** Waits for `stop_hooks_finished`. `sitsOut`: the guard has no part in this stop (O0, O8). */
  | { readonly at: 'hooks'; readonly sitsOut: boolean }
  /** Waits for `prepared` or `prepare_failed`. */
  | { readonly at: 'preparing'; readonly hand: Hand }
  /** The guard's send: waits for `stream_opened`. */
  | { readonly at: 'sending'; readonly hand: Hand }
  /** The user's, the hook's or the host's own send: waits for `stream_opened` (O7). */
  | { readonly at: 'continuing' };

/** What the next request carries beside the guard's own words. */
export type Hand = 'nothing' | 'hook_reason' | 'tool_results';
