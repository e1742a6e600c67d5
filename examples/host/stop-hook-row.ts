/** How many blocks of the stop hooks in a row are honoured. */
export const STOP_HOOK_BLOCKS_MAX = 8;

/**
 * The stop hooks' own counter. A block counts when a stream that carries its reason has opened; one that was superseded
 * does not (O6). The guard's counter is another one (O5).
 */
export class StopHookRow {
  #blocks = 0;
  #pending: string | null = null;

  /** The hooks have blocked before, and the model goes on because of it. */
  get active(): boolean {
    return this.#blocks > 0;
  }

  /** The reason that waits for a stream to carry it. */
  get pending(): string | null {
    return this.#pending;
  }

  /**
   * Takes what the hooks answered.
   *
   * @param reasons - empty when none blocks: the row ends.
   * @returns `capped` when one block more than are honoured was asked for.
   */
  answered(reasons: readonly string[]): 'blocked' | 'passed' | 'capped' {
    this.#pending = null;
    if (reasons.length === 0) {
      this.#blocks = 0;
      return 'passed';
    }
    if (this.#blocks >= STOP_HOOK_BLOCKS_MAX) return 'capped';
    this.#pending = reasons.join('\n');
    return 'blocked';
  }

  /** A stream that carries the reason has opened. */
  opened(): void {
    this.#blocks += 1;
    this.#pending = null;
  }
}
