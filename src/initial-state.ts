import type { GuardState } from './state.ts';

/** Guard streams in a stage unless an option says otherwise (B1). */
export const DEFAULT_MAX_ATTEMPTS = 2;

/** What a guard's first state is made from. */
export interface InitialGuardOptions {
  /** G1. Off unless `true`. */
  readonly enabled: boolean;
  /** Guard streams in a stage, a whole number from 1 to 10 (B1). Default 2. */
  readonly maxAttempts?: number;
  /** The approval mode is `plan` now (C8). Default false. */
  readonly plan?: boolean;
}

const OFF: GuardState = { off: true };

/**
 * The state that every guard begins with: no chain has trusted items, and no turn is live.
 *
 * @throws RangeError when `maxAttempts` is not a whole number from 1 to 10 (B1), whether the guard is on or off.
 */
export function initialGuardState(options: InitialGuardOptions): GuardState {
  const { enabled, maxAttempts = DEFAULT_MAX_ATTEMPTS, plan = false } = options;
  if (!Number.isInteger(maxAttempts) || maxAttempts < 1 || maxAttempts > 10) {
    throw new RangeError('maxAttempts must be a whole number from 1 to 10; leave it out for 2.');
  }
  return enabled
    ? { off: false, maxAttempts, chain: { status: 'idle', spent: 0 }, turn: null, queuedPrompt: false, plan }
    : OFF;
}
