import type { ToolCall } from './answer-chunk.ts';

/** Loop protection: counts identical tool calls in a row. */
export class SameCalls {
  readonly #max: number;
  #last = '';
  #count = 0;

  /** @param max - the call in a row that is one too many; `undefined` turns the protection off. */
  constructor(max: number | undefined) {
    this.#max = max ?? Infinity;
  }

  /** Whether this call is one too many. */
  isTooMany({ name, arguments: text }: ToolCall): boolean {
    const call = JSON.stringify([name, text]);
    this.#count = call === this.#last ? this.#count + 1 : 1;
    this.#last = call;
    return this.#count >= this.#max;
  }
}
