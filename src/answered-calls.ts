/** A replay further back than this is old history, which a host marks as not live anyway (T1). */
const REMEMBERED_CALLS_MAX = 1_000;

/** The ids of the tool calls that were answered, newest last, so that no answer counts twice (T1). */
export class AnsweredCalls {
  readonly #ids = new Set<string>();

  /**
   * @param callId - not empty.
   * @returns whether this is the first answer to the call, among the last 1,000 calls.
   */
  add(callId: string): boolean {
    if (this.#ids.has(callId)) return false;
    this.#ids.add(callId);
    if (this.#ids.size > REMEMBERED_CALLS_MAX) {
      for (const oldest of this.#ids) {
        this.#ids.delete(oldest);
        break;
      }
    }
    return true;
  }
}
