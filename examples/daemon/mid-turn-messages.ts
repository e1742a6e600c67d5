import { Refusal } from './refusal.ts';

const MESSAGES_MAX = 100;

/**
 * What the user has said while a turn runs, until the agent fetches it. Each message leaves once: with a drain, or, when
 * its turn ends without one, with the next drain or the user's next prompt, whichever comes first (F27).
 */
export class MidTurnMessages {
  #messages: readonly string[] = [];

  /** @throws Refusal when too many wait. */
  add(text: string): void {
    if (this.#messages.length >= MESSAGES_MAX) {
      throw new Refusal(429, `${MESSAGES_MAX} messages wait already. Wait until the agent has fetched them.`);
    }
    this.#messages = [...this.#messages, text];
  }

  takeAll(): readonly string[] {
    const taken = this.#messages;
    this.#messages = [];
    return taken;
  }
}
