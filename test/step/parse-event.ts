import { CHAIN_END_REASONS, HARD_STOP_REASONS } from '../../src/reasons.ts';
import type { GuardEvent, GuardEventType } from 'todo-stop-guard/machine';

/** How the words after an event's type are read. */
type Reader = (turn: string, words: readonly string[]) => GuardEvent;

const READERS: { readonly [Type in GuardEventType]: Reader } = {
  prompt_started: (turn, [origin]) => ({
    type: 'prompt_started',
    turn,
    origin: oneOf(['user', 'retry', 'continue'], origin),
  }),
  automatic_turn_requested: (turn, [kin]) => ({
    type: 'automatic_turn_requested',
    turn,
    related: oneOf(['related', 'unrelated'], kin) === 'related',
  }),
  turn_settled: (turn, words) => ({ type: 'turn_settled', turn, ...flags(words, ['background']) }),
  todos_written: (turn, [count]) => ({ type: 'todos_written', turn, unfinishedCount: Number(count) }),
  user_message_sent: (turn) => ({ type: 'user_message_sent', turn }),
  hard_stopped: (turn, [reason]) => ({ type: 'hard_stopped', turn, reason: oneOf(HARD_STOP_REASONS, reason) }),
  turn_failed: (turn) => ({ type: 'turn_failed', turn }),
  chain_ended: (_, [reason]) => ({ type: 'chain_ended', reason: oneOf(CHAIN_END_REASONS, reason) }),
  approval_mode_changed: (_, [mode = '']) => ({ type: 'approval_mode_changed', mode }),
  queued_prompt_dropped: () => ({ type: 'queued_prompt_dropped' }),
  background_ended: () => ({ type: 'background_ended' }),
  model_stopped: (turn) => ({ type: 'model_stopped', turn }),
  tools_finished: (turn) => ({ type: 'tools_finished', turn }),
  looked: (turn, words) => ({
    type: 'looked',
    turn,
    ...flags(words, ['userMessages', 'queuedPrompt', 'background']),
  }),
  look_failed: (turn) => ({ type: 'look_failed', turn }),
  stop_hooks_finished: (turn, words) => ({ type: 'stop_hooks_finished', turn, ...flags(words, ['blocked']) }),
  prepared: (turn) => ({ type: 'prepared', turn }),
  prepare_failed: (turn) => ({ type: 'prepare_failed', turn }),
  stream_opened: (turn) => ({ type: 'stream_opened', turn }),
};

/** Every type of event: by type, none can be forgotten. */
export const EVENT_TYPES: readonly string[] = Object.keys(READERS);

/**
 * Reads an event as a person writes it: `[turn:] type words…`, such as `looked userMessages queuedPrompt` or
 * `two: prompt_started retry`. The turn is `one` unless named; a fact that is not named is `false`.
 */
export function parseEvent(line: string): GuardEvent {
  const {
    turn = 'one',
    type,
    words = '',
  } = /^(?:(?<turn>\w+): )?(?<type>\w+)(?<words>( \w+)*)$/.exec(line)?.groups ?? {};
  const reader = Object.entries(READERS).find(([name]) => name === type)?.[1];
  if (reader === undefined) throw new Error(`No event: ${line}`);
  return reader(turn, words.split(' ').filter(Boolean));
}

function oneOf<Word extends string>(words: readonly Word[], word: string | undefined): Word {
  const known = words.find((candidate) => candidate === word);
  if (known === undefined) throw new Error(`${String(word)} is none of ${words.join(', ')}`);
  return known;
}

function flags<Name extends string>(words: readonly string[], names: readonly Name[]): Record<Name, boolean> {
  words.forEach((word) => oneOf(names, word));
  const entries = names.map((name): [Name, boolean] => [name, words.includes(name)]);
  return Object.fromEntries(entries) as Record<Name, boolean>;
}
