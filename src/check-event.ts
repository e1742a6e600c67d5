import type { GuardEvent, PromptOrigin } from './events.ts';
import { CHAIN_END_REASONS, HARD_STOP_REASONS } from './reasons.ts';

const PROMPT_ORIGINS = ['user', 'retry', 'continue'] satisfies PromptOrigin[];

/**
 * Refuses what only a programmer's mistake can produce, before anything has changed.
 *
 * No message repeats a value: what was passed by mistake may be Todo text (T4).
 *
 * @throws TypeError for an unknown event type, an empty turn id (T6), or a word that is not in its closed list.
 * @throws RangeError for an unfinished count that is not a whole number from 0.
 */
export function checkEvent(event: GuardEvent): void {
  switch (event.type) {
    case 'prompt_started':
      checkWord('origin', event.origin, PROMPT_ORIGINS);
      checkTurn(event.turn);
      return;
    case 'todos_written':
      if (!Number.isSafeInteger(event.unfinishedCount) || event.unfinishedCount < 0) {
        throw new RangeError(
          'unfinishedCount must be a whole number from 0: count the unfinished items of the result.',
        );
      }
      checkTurn(event.turn);
      return;
    case 'hard_stopped':
      checkWord('reason', event.reason, HARD_STOP_REASONS);
      checkTurn(event.turn);
      return;
    case 'automatic_turn_requested':
    case 'turn_settled':
    case 'user_message_sent':
    case 'turn_failed':
    case 'model_stopped':
    case 'tools_finished':
    case 'looked':
    case 'look_failed':
    case 'stop_hooks_finished':
    case 'prepared':
    case 'prepare_failed':
    case 'stream_opened':
      checkTurn(event.turn);
      return;
    case 'chain_ended':
      checkWord('reason', event.reason, CHAIN_END_REASONS);
      return;
    case 'approval_mode_changed':
      if (typeof event.mode !== 'string') throw new TypeError('mode must be a string: pass the new approval mode.');
      return;
    case 'queued_prompt_dropped':
    case 'background_ended':
      return;
  }
  throw new TypeError('Unknown event type: pass one of the types of GuardEvent, such as "model_stopped".');
}

function checkTurn(turn: unknown): void {
  if (typeof turn !== 'string' || turn === '') {
    throw new TypeError('turn must be a string that is not empty: pass the id of the turn that the event belongs to.');
  }
}

function checkWord(field: string, word: string, words: readonly string[]): void {
  if (!words.includes(word)) throw new TypeError(`${field} must be one of: ${words.join(', ')}.`);
}
