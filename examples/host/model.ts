import type {
  ChatCompletionChunk,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from 'openai/resources/chat/completions';
import type { Stream } from 'openai/core/streaming';
import type { AnswerChunk, ToolCall } from './answer-chunk.ts';
import { readChunk, ToolCallParts } from './answer-chunk.ts';
import { explainError, ModelClient } from './provider-errors.ts';

/** What a model is asked. */
export interface ModelRequest {
  readonly messages: readonly ChatCompletionMessageParam[];
  /** Left out for the host's own small calls: a summary, a suggestion. */
  readonly tools?: readonly ChatCompletionTool[];
}

/** Tokens, as the provider counts them. */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
}

/** A whole answer. */
export interface ModelAnswer {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  /** The provider's own word. Only `stop` without tool calls is a natural stop (O0). */
  readonly finishReason: string;
  /** `null` when the provider did not say. */
  readonly usage: Usage | null;
}

/** An OpenAI-compatible model that streams. */
export interface Model {
  /**
   * Submits a request, before it awaits anything, and resolves once the stream has begun to answer (B2).
   *
   * @throws ContextOverflowError when the request is too long for the model; any other error is the provider's or
   *   the network's; the signal's reason when it was aborted.
   */
  open(request: ModelRequest, signal: AbortSignal): Promise<AnswerStream>;
}

/**
 * Connects to an endpoint through the official client. It never retries: a retry is the user's decision (H2).
 *
 * @param baseURL - up to and including `/v1`.
 */
export function connectModel(options: { baseURL: string; apiKey: string; model: string }): Model {
  const client = new ModelClient({ baseURL: options.baseURL, apiKey: options.apiKey, maxRetries: 0 });
  return {
    open: async ({ messages, tools }, signal) => {
      try {
        const stream = await client.chat.completions.create(
          {
            model: options.model,
            messages: [...messages],
            ...(tools !== undefined && { tools: [...tools] }),
            stream: true,
            stream_options: { include_usage: true },
          },
          // A signal of its own: the client leaves its listeners on it.
          { signal: AbortSignal.any([signal]) },
        );
        return await AnswerStream.begin(stream, signal);
      } catch (error) {
        throw explainError(error, signal);
      }
    },
  };
}

/** A stream that has begun to answer. */
export class AnswerStream {
  readonly #stream: Stream<ChatCompletionChunk>;
  readonly #rest: AsyncIterator<ChatCompletionChunk>;
  readonly #first: ChatCompletionChunk;
  readonly #signal: AbortSignal;
  readonly #calls = new ToolCallParts();
  #text = '';
  #finishReason: string | null = null;
  #usage: Usage | null = null;

  private constructor(
    stream: Stream<ChatCompletionChunk>,
    rest: AsyncIterator<ChatCompletionChunk>,
    first: ChatCompletionChunk,
    signal: AbortSignal,
  ) {
    this.#stream = stream;
    this.#rest = rest;
    this.#first = first;
    this.#signal = signal;
  }

  /** Waits for the first piece. */
  static async begin(stream: Stream<ChatCompletionChunk>, signal: AbortSignal): Promise<AnswerStream> {
    const rest = stream[Symbol.asyncIterator]();
    const first = await rest.next();
    signal.throwIfAborted();
    if (first.done === true) throw new Error('The provider closed the stream before it answered.');
    return new AnswerStream(stream, rest, first.value, signal);
  }

  /** What has been said so far: all that is left of a stream that fails. */
  get text(): string {
    return this.#text;
  }

  /**
   * Reads to the end. Call it once.
   *
   * @param onText - gets each piece of text as it comes.
   * @throws as {@link Model.open} does, and when the stream ends without a finish reason: it was cut.
   */
  async read(onText: (delta: string) => void): Promise<ModelAnswer> {
    try {
      this.#take(readChunk(this.#first), onText);
      for (let next = await this.#rest.next(); next.done !== true; next = await this.#rest.next()) {
        this.#take(readChunk(next.value), onText);
      }
      // An aborted stream ends like a whole one.
      this.#signal.throwIfAborted();
    } catch (error) {
      throw explainError(error, this.#signal);
    }
    if (this.#finishReason === null) throw new Error('The stream ended before the answer did.');
    return {
      text: this.#text,
      toolCalls: this.#calls.whole,
      finishReason: this.#finishReason,
      usage: this.#usage,
    };
  }

  /** Nobody wants the rest. */
  close(): void {
    this.#stream.controller.abort();
  }

  #take({ choices, usage }: AnswerChunk, onText: (delta: string) => void): void {
    if (usage) this.#usage = { promptTokens: usage.prompt_tokens, completionTokens: usage.completion_tokens };
    const choice = choices?.[0];
    if (choice === undefined) return;
    this.#finishReason = choice.finish_reason || this.#finishReason;
    const { content, tool_calls: calls } = choice.delta ?? {};
    if (content) {
      this.#text += content;
      onText(content);
    }
    for (const part of calls ?? []) this.#calls.add(part);
  }
}
