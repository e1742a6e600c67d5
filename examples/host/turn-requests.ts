import type { Conversation, Draft } from './conversation.ts';
import { toMessages } from './history.ts';
import type { AnswerStream } from './model.ts';
import { AGENT_SYSTEM } from './prompts.ts';
import { ContextOverflowError } from './provider-errors.ts';
import type { SessionParts } from './session-parts.ts';
import { checkTokenLimit, TokenLimitError } from './session-parts.ts';
import { summarise } from './side-calls.ts';
import type { StopHookRow } from './stop-hook-row.ts';
import type { CarriedWords } from './surface.ts';
import type { TurnState } from './turn-state.ts';

/** The words that a request carries beside what waits in the conversation. */
export type RequestWords = Pick<CarriedWords, 'stopHookReason' | 'guardPrompt'>;

/** Opens the primary streams of one turn. Nothing counts as sent before its stream is taken. */
export class TurnRequests {
  readonly #parts: SessionParts;
  readonly #turn: TurnState;
  readonly #conversation: Conversation;
  readonly #hooks: StopHookRow;
  #opened: { readonly stream: AnswerStream; readonly draft: Draft; readonly carried: CarriedWords } | null = null;

  constructor(parts: SessionParts, turn: TurnState, conversation: Conversation, hooks: StopHookRow) {
    this.#parts = parts;
    this.#turn = turn;
    this.#conversation = conversation;
    this.#hooks = hooks;
  }

  /**
   * Submits a request, before it awaits anything (O6), and resolves when its stream has begun to answer (B2).
   *
   * @throws TokenLimitError and ContextOverflowError, of which the guard has been told; otherwise what the model throws.
   */
  async open(words: RequestWords, signal: AbortSignal): Promise<void> {
    const { flags, model, reminders, tools } = this.#parts;
    const conversation = this.#conversation;
    try {
      checkTokenLimit(flags, conversation.promptTokens);
      const reminder = conversation.hasToolResults ? reminders.take(this.#turn.id) : undefined;
      const draft = conversation.draft({ ...words, reminder });
      const definitions = [...tools.values()].map(({ definition }) => definition);
      const request = { messages: toMessages(AGENT_SYSTEM, draft.entries), tools: definitions };
      const stream = await model.open(request, signal);
      this.#opened = { stream, draft, carried: { ...words, reminder, midTurn: draft.midTurn } };
    } catch (error) {
      if (error instanceof TokenLimitError || error instanceof ContextOverflowError) {
        this.#turn.hardStop('token_limit');
      }
      throw error;
    }
  }

  /** Nobody wants the stream that was just opened. What it carried waits again. */
  close(): void {
    this.#opened?.stream.close();
    this.#opened = null;
  }

  /**
   * The stream that was just opened is wanted: what it carried is sent now, a hook's block counts (O6), and the guard
   * learns of the user's words.
   */
  take(): AnswerStream {
    if (this.#opened === null) throw new Error('No stream is open.');
    const { stream, draft, carried } = this.#opened;
    this.#opened = null;
    draft.commit();
    this.#parts.surface.requestSent?.(carried);
    if (carried.stopHookReason !== null) this.#hooks.opened();
    if (draft.midTurn.length > 0) {
      this.#parts.guard.tell({ type: 'user_message_sent', turn: this.#turn.id });
    }
    return stream;
  }

  /**
   * Summarises the history if it is past `--compact-at`.
   *
   * @throws whatever the summary's call throws; the history is then as it was.
   */
  async compact(signal: AbortSignal): Promise<void> {
    const { flags, model, surface } = this.#parts;
    const { promptTokens, settledEntries } = this.#conversation;
    if (flags.compactAt === undefined || promptTokens === null || promptTokens <= flags.compactAt) return;
    try {
      const { text, usage } = await summarise(model, settledEntries, signal);
      this.#turn.spend(usage);
      this.#conversation.compact(text);
      surface.compacted(null);
    } catch (error) {
      if (!signal.aborted) surface.compacted(error);
      throw error;
    }
  }

  /** For a request that goes ahead all the same when the summary fails: only a guard's send waits for it (O9). */
  async compactIfPossible(signal: AbortSignal): Promise<void> {
    try {
      await this.compact(signal);
    } catch {
      signal.throwIfAborted();
    }
  }
}
