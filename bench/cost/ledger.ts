import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

/** What a session's model calls have cost. */
export interface Cost {
  readonly calls: number;
  readonly promptTokens: number;
  /** Requests that do not begin with the whole request before them, or come later than a provider keeps it. */
  readonly cacheMisses: number;
  /** Tokens that a provider had to read without its cache. */
  readonly uncachedTokens: number;
}

/** How long providers keep a prefix, in seconds. */
const CACHE_SECONDS = 300;

/** Counts every model request as it would go over the wire. */
export class Ledger {
  #last: readonly string[] = [];
  #lastAt = 0;
  #tokens = new Map<string, number>();
  #cost: Cost = { calls: 0, promptTokens: 0, cacheMisses: 0, uncachedTokens: 0 };

  get cost(): Cost {
    return this.#cost;
  }

  /** @param messages - the whole request, message by message. */
  add(messages: readonly string[], atSeconds: number): void {
    const isKept = atSeconds - this.#lastAt <= CACHE_SECONDS;
    const shared = isKept ? sharedPrefix(this.#last, messages) : 0;
    const { calls, promptTokens, cacheMisses, uncachedTokens } = this.#cost;
    this.#cost = {
      calls: calls + 1,
      promptTokens: promptTokens + this.#count(messages),
      cacheMisses: cacheMisses + (calls > 0 && shared < this.#last.length ? 1 : 0),
      uncachedTokens: uncachedTokens + this.#count(messages.slice(shared)),
    };
    this.#last = [...messages];
    this.#lastAt = atSeconds;
  }

  #count(messages: readonly string[]): number {
    let sum = 0;
    for (const message of messages) {
      const tokens = this.#tokens.get(message) ?? countTokens(message);
      this.#tokens.set(message, tokens);
      sum += tokens;
    }
    return sum;
  }
}

function sharedPrefix(before: readonly string[], after: readonly string[]): number {
  const differs = before.findIndex((message, index) => message !== after[index]);
  return differs === -1 ? before.length : differs;
}
