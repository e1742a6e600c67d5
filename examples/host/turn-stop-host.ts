import type { GuardNotice, StopHost, StopLook, StopRequest } from 'todo-stop-guard';
import type { Conversation } from './conversation.ts';
import { askStopHooks } from './hooks.ts';
import type { SessionParts } from './session-parts.ts';
import type { StopHookRow } from './stop-hook-row.ts';
import type { TurnRequests } from './turn-requests.ts';
import type { TurnState } from './turn-state.ts';

/** A turn as the driver of the stop dialogue sees it. */
export class TurnStopHost implements StopHost {
  readonly turn: string;
  /** What the model said last, for the stop hooks. */
  lastAnswer = '';
  readonly #parts: SessionParts;
  readonly #state: TurnState;
  readonly #conversation: Conversation;
  readonly #requests: TurnRequests;
  readonly #hooks: StopHookRow;

  constructor(
    parts: SessionParts,
    state: TurnState,
    conversation: Conversation,
    requests: TurnRequests,
    hooks: StopHookRow,
  ) {
    this.turn = state.id;
    this.#parts = parts;
    this.#state = state;
    this.#conversation = conversation;
    this.#requests = requests;
    this.#hooks = hooks;
  }

  async look(signal: AbortSignal): Promise<StopLook> {
    const queuedPrompt = await this.#drain(signal);
    if (queuedPrompt === null) throw new Error('The prompt queue gave no answer.');
    const userMessages = this.#conversation.hasMidTurnTexts;
    return { userMessages, queuedPrompt, background: this.#parts.snapshot() };
  }

  async runStopHooks(signal: AbortSignal): Promise<boolean> {
    const { flags, cwd } = this.#parts;
    if (this.#state.automatic || flags.stopHook.length === 0) return false;
    const input = { stop_hook_active: this.#hooks.active, last_assistant_message: this.lastAnswer };
    const answer = this.#hooks.answered(await askStopHooks(flags.stopHook, input, cwd(), signal));
    if (answer === 'capped') this.#state.hardStop('stop_hook_cap');
    return answer === 'blocked';
  }

  prepare(signal: AbortSignal): Promise<void> {
    return this.#requests.compact(signal);
  }

  async open(request: StopRequest, signal: AbortSignal): Promise<void> {
    if (request.kind === 'continue') await this.#goOn(request, signal);
    await this.#requests.open(
      {
        stopHookReason: request.carries.includes('stop_hook_reason') ? this.#hooks.pending : null,
        guardPrompt: request.kind === 'send' ? request.prompt : undefined,
      },
      signal,
    );
  }

  close(): void {
    this.#requests.close();
  }

  notify(notice: GuardNotice): void | Promise<void> {
    return this.#parts.surface.notice(notice);
  }

  /** A request of the host's own: it may take its time, and at a tool boundary no look has drained. */
  async #goOn({ carries }: StopRequest, signal: AbortSignal): Promise<void> {
    await this.#requests.compactIfPossible(signal);
    if (carries.length === 1 && carries[0] === 'tool_results') {
      await this.#drain(signal).catch(() => undefined);
    }
    signal.throwIfAborted();
  }

  /** Takes the user's messages, whatever becomes of the look. */
  async #drain(signal: AbortSignal): Promise<boolean | null> {
    const { messages, hasQueuedPrompt } = await this.#parts.surface.drain(this.turn, signal);
    this.#conversation.addMidTurn(messages);
    return hasQueuedPrompt;
  }
}
