/**
 * The prompt that a piece of code runs for, for hosts on Node.
 *
 * An entry of its own, so that the main one runs anywhere.
 *
 * @module
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { checkPromptId } from './reminder/prompt-id.ts';

/**
 * Lets a Todo tool deep inside a host find the id of the prompt that called it, concurrent prompts included (R3).
 *
 * Make one for each host and pass it on. It has `run` only and no way to enter a prompt for the rest of a task: an id
 * that outlives its call would be inherited by whatever is started next.
 */
export class PromptContext {
  readonly #promptIds = new AsyncLocalStorage<string>();

  /** The prompt id of the innermost `run` around the caller; `undefined` outside of any. */
  get promptId(): string | undefined {
    return this.#promptIds.getStore();
  }

  /**
   * Runs a task for a prompt: everything that the task calls and awaits finds the prompt's id.
   *
   * @returns what the task returns; what it throws goes through.
   * @throws TypeError when the id is empty or not a string: an empty one belongs to nobody (T6).
   */
  run<Result>(promptId: string, task: () => Result): Result {
    checkPromptId('promptId', promptId);
    return this.#promptIds.run(promptId, task);
  }
}
