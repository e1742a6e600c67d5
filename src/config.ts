import * as z from 'zod/mini';
import { initialGuardState } from './initial-state.ts';
import { readUntrusted } from './read-untrusted.ts';
import type { GuardState } from './state.ts';

/** What turns a guard on or off, and how far it goes. All of it is read once, when the guard is made (G4). */
export interface GuardOptions {
  /**
   * The host's settings as they were read. Only `experimental.todoStopGuard` is looked at: `true` is on, `false` or
   * absent is off (G1). `disableAllHooks` changes nothing, since the guard is no external hook (G2).
   */
  readonly settings?: { readonly experimental?: { readonly todoStopGuard?: boolean } };
  /** Safe mode: the guard is off (G2). */
  readonly safeMode?: boolean;
  /** Bare mode: the guard is off (G2). */
  readonly bare?: boolean;
  /** The approval mode that the session begins in. In `plan` the guard takes no part until the mode is left (C8). */
  readonly approvalMode?: string;
  /** Guard streams in a stage, a whole number from 1 to 10 (B1). Default 2. */
  readonly maxAttempts?: number;
}

const trueOrFalse = z.boolean({ error: 'must be true or false' });
const anObject = { error: 'must be an object' };

const reader = z.strictObject(
  {
    settings: z.optional(
      z.object({ experimental: z.optional(z.object({ todoStopGuard: z.optional(trueOrFalse) }, anObject)) }, anObject),
    ),
    safeMode: z.optional(trueOrFalse),
    bare: z.optional(trueOrFalse),
    approvalMode: z.optional(z.string({ error: 'must be the name of a mode' })),
    // Anything but a whole number from 1 to 10 is a RangeError, and that is told where the state is made (B1).
    maxAttempts: z.optional(z.custom<number>()),
  },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? `must not have ${issue.keys.join(', ')}: use settings, safeMode, bare, approvalMode or maxAttempts`
        : 'must be an object',
  },
);

/**
 * The one function from settings and modes to on or off (G1, G2, G5).
 *
 * @param options - may come from a settings file unchecked; see {@link GuardOptions}.
 * @returns the state that a new guard begins with: off, or on without a chain.
 * @throws TypeError that names the field and says what it must be, for a malformed setting or option.
 * @throws RangeError when `maxAttempts` is not a whole number from 1 to 10.
 */
export function readGuardOptions(options: GuardOptions): GuardState {
  const reading = readUntrusted(reader, options);
  if (!reading.ok) {
    throw new TypeError(`${reading.field === '' ? 'options' : `options.${reading.field}`} ${reading.problem}.`);
  }
  const { settings, safeMode = false, bare = false, approvalMode, maxAttempts } = reading.value;
  return initialGuardState({
    enabled: settings?.experimental?.todoStopGuard === true && !safeMode && !bare,
    plan: approvalMode === 'plan',
    ...(maxAttempts !== undefined && { maxAttempts }),
  });
}
