/** A seeded source of choices: the same seed gives the same inputs on every machine. */
export class Seeded {
  #state: number;

  /** @param seed - a whole number from 1 to 2^32 - 1. */
  constructor(seed: number) {
    this.#state = seed >>> 0 || 1;
  }

  /** A whole number from 0 to `bound` - 1, by xorshift. */
  below(bound: number): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x >>> 0;
    return this.#state % bound;
  }

  /** One in `n`. */
  once(n: number): boolean {
    return this.below(n) === 0;
  }

  /** @throws RangeError when there is nothing to choose from. */
  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new RangeError('items must not be empty.');
    return items[this.below(items.length)] as Item;
  }
}
