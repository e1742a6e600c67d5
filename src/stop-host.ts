import type { BackgroundSnapshot } from './background.ts';
import type { GuardContinue, GuardNotice, GuardSend } from './decisions.ts';
import type { IgnoreReason, StopReason } from './reasons.ts';
import type { TurnId } from './state.ts';

/** What a look saw, in the order in which it must be read: first the messages are drained, then the rest is looked at. */
export interface StopLook {
  /** Mid-turn messages of the user were drained, or are still unsent from an earlier drain (O1). */
  readonly userMessages: boolean;
  /** A complete prompt waits in the queue (D2): as of now, so one that was dropped during the look does not count. */
  readonly queuedPrompt: boolean;
  /** All background work now. */
  readonly background: BackgroundSnapshot;
}

/** A request that the guard wants opened. */
export type StopRequest = GuardSend | GuardContinue;

/**
 * What the driver asks of a host. Every promise must settle soon after the signal has aborted, by whatever way. Any of
 * them may fail: the machine is told, and the error reaches the caller.
 */
export interface StopHost {
  /** The live turn. */
  readonly turn: TurnId;
  /** Drains and looks. A failure, a timeout included, makes the guard sit this stop out (O8). */
  look(signal: AbortSignal): Promise<StopLook>;
  /**
   * Runs the external stop hooks; `true` when one of them blocks. Its reason stays with the host until a request carries
   * it (O6). A guard that is off knows no turns and asks on automatic ones too: answer `false` there (O3). At the cap of
   * the hooks, tell `hard_stopped` with `stop_hook_cap` before answering (H1).
   */
  runStopHooks(signal: AbortSignal): Promise<boolean>;
  /** Makes the guard's send ready: compaction, model selection. A failure suspends the chain (O9). */
  prepare(signal: AbortSignal): Promise<void>;
  /**
   * Submits a request made of what `carries` says, in that order. Called without anything awaited since the last look.
   * Resolves when the stream has begun to answer (B2). A refusal by a limit is told as `hard_stopped` before it rejects.
   */
  open(request: StopRequest, signal: AbortSignal): Promise<void>;
  /** Closes the stream that was just opened: meanwhile it is not wanted any more. */
  close(): void;
  /** Shows a notice to the user. Not waited for; its failure changes nothing (N5). */
  notify(notice: GuardNotice): void | Promise<void>;
}

/** How a stop was settled. `failures` are the errors of the callbacks that the dialogue survived. */
export type StopOutcome = (
  | { readonly kind: 'opened'; readonly request: StopRequest }
  | { readonly kind: 'stopped'; readonly reason: StopReason }
  /** The signal meant nothing here: the stop is being settled, or the turn is not the live one (O7, T6). */
  | { readonly kind: 'ignored'; readonly reason: IgnoreReason }
  /**
   * While the dialogue was open, something else settled the stop: a hard stop that the host told, a message that it sent,
   * revoked trust, plan mode, or a new turn. A stream that opened nevertheless was closed.
   */
  | { readonly kind: 'overtaken' }
) & { readonly failures: readonly unknown[] };
