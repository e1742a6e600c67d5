import type {
  DroppedTurn,
  GuardDecision,
  GuardFact,
  GuardNotice,
  GuardState,
  HoldReason,
  TodoResultRefused,
} from 'todo-stop-guard';
import type { Todo } from './tools/todo-write.ts';
import type { ToolResult } from './tools/tool.ts';
import type { TurnResult } from './turn.ts';

/** A tool call, as it is shown. */
export interface ShownCall {
  readonly id: string;
  readonly name: string;
  /** What `JSON.parse` made of the arguments; the text itself when they are no JSON. */
  readonly args: unknown;
  /** A sub-agent makes the call. */
  readonly bySubAgent: boolean;
}

/** The answer to a permission request. Nobody there is never `allowed` (D4). */
export type PermissionAnswer = 'allowed' | 'rejected' | 'cancelled';

/** What a drain of the user's mid-turn messages got. */
export interface DrainedMessages {
  /** Oldest first. They are the session's from here on. */
  readonly messages: readonly string[];
  /** Whether a complete prompt waits; `null` when nobody knows, which makes the look a failure (O8). */
  readonly hasQueuedPrompt: boolean | null;
}

/** A turn that begins. */
export interface StartedTurn {
  readonly id: string;
  readonly automatic: boolean;
  /** The user text that opens it. */
  readonly text: string;
}

/** What a request carries beside the history, the tool results and the turn's opening text. */
export interface CarriedWords {
  readonly reminder: string | undefined;
  readonly stopHookReason: string | null;
  readonly guardPrompt: string | undefined;
  /** What the user said mid-turn, oldest first. */
  readonly midTurn: readonly string[];
}

/** What the guard was told, for the narration of its decisions. */
export type ToldType = GuardFact['type'] | 'todo_result' | 'background';

/**
 * Where a session meets its user: a terminal, an ACP client, a test. The session owns the loop; a surface shows, asks and
 * lets the user speak. What it throws while it shows something is its own affair and must not leave it.
 */
export interface SessionSurface {
  turnStarted(turn: StartedTurn): void;
  /** The model says something. */
  text(delta: string): void;
  toolStarted(call: ShownCall): void;
  toolFinished(call: ShownCall, result: ToolResult): void;
  /** The session's own Todo list was written. */
  plan(todos: readonly Todo[]): void;
  /** A guard notice. A rejection changes nothing (N5). */
  notice(notice: GuardNotice): void | Promise<void>;
  /** The guard was told something, and decided; this is its state from then on. */
  decided(told: ToldType, decision: GuardDecision | TodoResultRefused, state: GuardState): void;
  /** A request was sent: its stream has opened. Left out by surfaces that do not narrate. */
  requestSent?(carried: CarriedWords): void;
  /** Asks the user; rejects or answers `cancelled` once the signal has aborted. */
  permission(call: ShownCall, signal: AbortSignal): Promise<PermissionAnswer>;
  /** Takes the user's mid-turn messages; a rejection is a look that failed. */
  drain(turn: string, signal: AbortSignal): Promise<DrainedMessages>;
  /** The history was summarised, or could not be. */
  compacted(error: unknown): void;
  /** An automatic turn has to wait. */
  held(text: string, reason: HoldReason): void;
  /** An automatic turn will not run. */
  dropped(turn: DroppedTurn<string>): void;
  /** The turn is over and has settled. */
  turnEnded(turn: StartedTurn, result: TurnResult): void;
  /** A next prompt that the user might want. */
  followUp(suggestion: string): void;
}
