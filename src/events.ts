import type { ChainEndReason, HardStopReason } from './reasons.ts';
import type { TurnId } from './state.ts';

/**
 * What the host tells the machine: facts, in the past tense.
 *
 * An event of a turn carries that turn's id; one from any turn but the live one changes nothing (T6).
 */
export type GuardEvent = TurnEvent | SessionEvent | StopDialogueEvent;

/** Turns begin and end. */
export type TurnEvent =
  /** A prompt runs. `retry` and `continue` are the trusted ones, on the host's word (C1, C2). */
  | { readonly type: 'prompt_started'; readonly turn: TurnId; readonly origin: PromptOrigin }
  /** A cron, notification or wakeup turn wants to run (C4, C5). */
  | { readonly type: 'automatic_turn_requested'; readonly turn: TurnId; readonly related: boolean }
  /** From the host's `finally`. `background`: relevant background work is live or queued (K2). */
  | { readonly type: 'turn_settled'; readonly turn: TurnId; readonly background: boolean }
  /** A trusted result of the host's own Todo tool, as a number: no Todo text can get in (T1, T4). */
  | { readonly type: 'todos_written'; readonly turn: TurnId; readonly unfinishedCount: number }
  /** The host's own loop put a mid-turn message of the user into a request (C3). One that only arrived is no fact yet. */
  | { readonly type: 'user_message_sent'; readonly turn: TurnId }
  /** A cancel, a limit or a protection ended the turn's work (H1). */
  | { readonly type: 'hard_stopped'; readonly turn: TurnId; readonly reason: HardStopReason }
  /** An API or network error (H2). */
  | { readonly type: 'turn_failed'; readonly turn: TurnId };

/** The session changes, whatever turn is live. */
export type SessionEvent =
  /** Trust was revoked, a retry was given up, or the user cancelled while no turn ran (C6, H2, H1). */
  | { readonly type: 'chain_ended'; readonly reason: ChainEndReason }
  /** The approval mode is now `mode`. Only `plan` means something to the guard (C7, C8). */
  | { readonly type: 'approval_mode_changed'; readonly mode: string }
  /** The last queued prompt was dropped (O2). */
  | { readonly type: 'queued_prompt_dropped' }
  /** Nothing relevant is live or queued any more (K2). */
  | { readonly type: 'background_ended' };

/** The stop dialogue: two signals that open it, and the answers to what the machine asks. */
export type StopDialogueEvent =
  /** The model ended its response by itself, with no tool calls and no error (O0). */
  | { readonly type: 'model_stopped'; readonly turn: TurnId }
  /** The tool calls of a response have run; their results are in the host's hand (B3). */
  | { readonly type: 'tools_finished'; readonly turn: TurnId }
  /** Answers `look`. */
  | {
      readonly type: 'looked';
      readonly turn: TurnId;
      /** Mid-turn messages of the user were drained, or were drained before and are still unsent. */
      readonly userMessages: boolean;
      /** A complete prompt waits (D2). */
      readonly queuedPrompt: boolean;
      /** Relevant background work is live or queued (K2). */
      readonly background: boolean;
    }
  /** Answers `look`: it failed (O8). */
  | { readonly type: 'look_failed'; readonly turn: TurnId }
  /** Answers `run_stop_hooks` (O3). */
  | { readonly type: 'stop_hooks_finished'; readonly turn: TurnId; readonly blocked: boolean }
  /** Answers `prepare`. */
  | { readonly type: 'prepared'; readonly turn: TurnId }
  /** Answers `prepare`: it failed (O9). */
  | { readonly type: 'prepare_failed'; readonly turn: TurnId }
  /** Answers `send` and `continue`: here an attempt is spent (B2). */
  | { readonly type: 'stream_opened'; readonly turn: TurnId };

/** Who asked for a prompt's turn. The host knows; the text of a prompt proves nothing. */
export type PromptOrigin = 'user' | 'retry' | 'continue';

/** The name of an event. */
export type GuardEventType = GuardEvent['type'];
