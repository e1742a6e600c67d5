/**
 * Refusals of what only a programmer's mistake can produce. The machine makes them before it looks at its state.
 *
 * No message repeats a value: what was passed by mistake may be Todo text (T4).
 *
 * @module
 */
import type { PromptOrigin } from './events.ts';

export const PROMPT_ORIGINS: readonly PromptOrigin[] = ['user', 'retry', 'continue'];

/** @throws TypeError for a turn id that is empty or no string (T6). */
export function checkTurn(turn: unknown): void {
  if (typeof turn !== 'string' || turn === '') {
    throw new TypeError('turn must be a string that is not empty: pass the id of the turn that the event belongs to.');
  }
}

/** @throws TypeError that names the field and its closed list, for a word that is not in it. */
export function checkWord(field: string, word: string, words: readonly string[]): void {
  if (!words.includes(word)) throw new TypeError(`${field} must be one of: ${words.join(', ')}.`);
}

/** @throws TypeError for an approval mode that is no string. */
export function checkMode(mode: unknown): void {
  if (typeof mode !== 'string') throw new TypeError('mode must be a string: pass the new approval mode.');
}

/** @throws RangeError for an unfinished count that is not a whole number from 0. */
export function checkCount(unfinishedCount: number): void {
  if (!Number.isSafeInteger(unfinishedCount) || unfinishedCount < 0) {
    throw new RangeError('unfinishedCount must be a whole number from 0: count the unfinished items of the result.');
  }
}
