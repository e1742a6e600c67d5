import { settleStop } from 'todo-stop-guard';
import type { HardStopReason, StopOutcome, StopReason } from 'todo-stop-guard';
import type { Conversation } from './conversation.ts';
import { callsToRun } from './conversation.ts';
import type { AnswerStream, ModelAnswer, Usage } from './model.ts';
import { ContextOverflowError } from './provider-errors.ts';
import { SameCalls } from './same-calls.ts';
import type { SessionParts } from './session-parts.ts';
import { StopHookRow } from './stop-hook-row.ts';
import { TurnCalls } from './turn-calls.ts';
import { TurnRequests } from './turn-requests.ts';
import type { TurnState } from './turn-state.ts';
import { TurnStopHost } from './turn-stop-host.ts';

/** How a turn ended. */
export type TurnEnd =
  /**
   * By itself, or by the guard's word. `withdrawn`: the guard's send lost its ground while it was opening, and its stream
   * was closed.
   */
  | { readonly kind: 'ended'; readonly reason: StopReason | 'withdrawn' }
  /** The answer was cut off, or its end had an unknown reason, which is the provider's own word (O0). */
  | { readonly kind: 'ended'; readonly reason: 'cut_off'; readonly finishReason: string }
  | { readonly kind: 'stopped'; readonly reason: HardStopReason }
  /** By an error of the provider or the network. */
  | { readonly kind: 'failed'; readonly error: Error };

/** A turn that is over. */
export type TurnResult = TurnEnd & {
  /** The tokens of all its streams, the guard's included (N8). */
  readonly usage: Usage;
};

/**
 * Runs one turn, a prompt's or an automatic one, to its end: the one loop of all hosts.
 *
 * Never rejects. The guard has then been told how the turn ended; that it has settled is for the session to say.
 */
export async function runTurn(parts: SessionParts, turn: TurnState, conversation: Conversation): Promise<TurnResult> {
  const end = await new TurnLoop(parts, turn, conversation).run();
  return { ...end, usage: turn.usage };
}

class TurnLoop {
  readonly #parts: SessionParts;
  readonly #turn: TurnState;
  readonly #conversation: Conversation;
  readonly #requests: TurnRequests;
  readonly #host: TurnStopHost;
  readonly #calls: TurnCalls;

  constructor(parts: SessionParts, turn: TurnState, conversation: Conversation) {
    const hooks = new StopHookRow();
    this.#parts = parts;
    this.#turn = turn;
    this.#conversation = conversation;
    this.#requests = new TurnRequests(parts, turn, conversation, hooks);
    this.#host = new TurnStopHost(parts, turn, conversation, this.#requests, hooks);
    this.#calls = new TurnCalls(parts, turn, conversation, new SameCalls(parts.flags.maxSameCalls));
  }

  async run(): Promise<TurnEnd> {
    const { id, text, signal } = this.#turn;
    try {
      this.#parts.surface.turnStarted(this.#turn);
      this.#conversation.beginTurn(text);
      signal.throwIfAborted();
      await this.#requests.compactIfPossible(signal);
      await this.#requests.open({ stopHookReason: null, guardPrompt: undefined }, signal);
      return await this.#loop();
    } catch (error) {
      if (error instanceof ContextOverflowError) this.#turn.hardStop('token_limit');
      if (this.#turn.hardStopped !== null) return { kind: 'stopped', reason: this.#turn.hardStopped };
      this.#parts.guard.tell({ type: 'turn_failed', turn: id });
      return { kind: 'failed', error: error instanceof Error ? error : new Error(String(error)) };
    }
  }

  async #loop(): Promise<TurnEnd> {
    const { guard } = this.#parts;
    const { signal } = this.#turn;
    for (;;) {
      const answer = await this.#read(this.#requests.take());
      const calls = callsToRun(answer);
      await this.#calls.run(calls);
      if (this.#turn.hardStopped !== null) return { kind: 'stopped', reason: this.#turn.hardStopped };
      const { finishReason } = answer;
      if (calls.length === 0 && finishReason !== 'stop') return { kind: 'ended', reason: 'cut_off', finishReason };

      const after = calls.length > 0 ? 'tools_finished' : 'model_stopped';
      const outcome = await settleStop(guard, this.#host, { signal, after });
      if (outcome.kind !== 'opened') return this.#endOf(outcome);
    }
  }

  /** Reads an answer into the history; of one that fails, what was said. */
  async #read(stream: AnswerStream): Promise<ModelAnswer> {
    try {
      const answer = await stream.read((delta) => {
        this.#parts.surface.text(delta);
      });
      this.#conversation.addAnswer({ text: answer.text, toolCalls: callsToRun(answer) });
      this.#conversation.promptTokens = answer.usage?.promptTokens ?? this.#conversation.promptTokens;
      this.#turn.spend(answer.usage);
      this.#host.lastAnswer = answer.text;
      return answer;
    } catch (error) {
      this.#conversation.addAnswer({ text: stream.text, toolCalls: [] });
      throw error;
    }
  }

  #endOf(outcome: Exclude<StopOutcome, { kind: 'opened' }>): TurnEnd {
    if (this.#turn.hardStopped !== null) return { kind: 'stopped', reason: this.#turn.hardStopped };
    return { kind: 'ended', reason: outcome.kind === 'stopped' ? outcome.reason : 'withdrawn' };
  }
}
