import * as fc from 'fast-check';
import type { GuardEvent, GuardEventType } from '../../src/events.ts';
import { CHAIN_END_REASONS, HARD_STOP_REASONS } from '../../src/reasons.ts';
import type { GuardState } from '../../src/state.ts';

/** Which turn an event names: the live one, one that was live before, or one that never was. */
export type Whose = 'live' | 'stale' | 'unknown';

/** A random choice that becomes an event once the state is known: it names a turn's role, not its id. */
export interface Move {
  readonly type: GuardEventType | 'answer';
  readonly whose: Whose;
  /** Everything the event carries is read off this one number and these flags. */
  readonly word: number;
  readonly first: boolean;
  readonly second: boolean;
  readonly third: boolean;
}

const COUNTS = [0, 0, 1, 2, 3];
const MODES = ['plan', 'default', 'yolo', 'plan', 'default'];
const ORIGINS = ['user', 'retry', 'continue'] as const;

const type: fc.Arbitrary<Move['type']> = fc.oneof(
  // A host that answers what it was asked: without it no random sequence would reach a second stage.
  { weight: 14, arbitrary: fc.constant<Move['type']>('answer') },
  { weight: 6, arbitrary: fc.constantFrom<GuardEventType>('model_stopped', 'tools_finished') },
  { weight: 4, arbitrary: fc.constant<GuardEventType>('todos_written') },
  {
    weight: 4,
    arbitrary: fc.constantFrom<GuardEventType>('prompt_started', 'automatic_turn_requested', 'turn_settled'),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom<GuardEventType>(
      'user_message_sent',
      'hard_stopped',
      'turn_failed',
      'chain_ended',
      'approval_mode_changed',
      'queued_prompt_dropped',
      'background_ended',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<GuardEventType>(
      'looked',
      'look_failed',
      'stop_hooks_finished',
      'prepared',
      'prepare_failed',
      'stream_opened',
    ),
  },
);

/** One in five flags is set: most looks find nothing, or no sequence would ever reach the guard's send. */
const seldom = fc.integer({ min: 0, max: 4 }).map((number) => number === 0);

export const move: fc.Arbitrary<Move> = fc.record({
  type,
  whose: fc.constantFrom<Whose>('live', 'live', 'live', 'live', 'live', 'live', 'stale', 'unknown'),
  word: fc.nat(1_000),
  first: seldom,
  second: seldom,
  third: seldom,
});

/** Turns moves into events for a machine, and remembers the turns that were. */
export class MoveReader {
  #turns = 0;
  #before = 'turn-before';
  #last = 'turn-before';

  read(move: Move, state: GuardState): GuardEvent {
    const turn = state.off ? this.#last : (state.turn?.id ?? this.#last);
    if (turn !== this.#last) {
      this.#before = this.#last;
      this.#last = turn;
    }
    const named = { live: turn, stale: this.#before, unknown: 'turn-of-nobody' }[move.whose];
    const eventType = move.type === 'answer' ? answerFor(state, move) : move.type;
    return makeEvent(eventType, named, move, () => `turn-${String(++this.#turns)}`);
  }
}

/** What a host would say next at this step. */
function answerFor(state: GuardState, { first, word }: Move): GuardEventType {
  if (state.off) return 'model_stopped';
  if (state.turn === null) return word % 3 === 0 ? 'automatic_turn_requested' : 'prompt_started';
  switch (state.turn.stop.at) {
    case 'working':
      return state.chain.status === 'armed' ? 'model_stopped' : 'todos_written';
    case 'guard_stream':
      return word % 2 === 0 ? 'model_stopped' : 'tools_finished';
    case 'stopped':
      return 'turn_settled';
    case 'looking':
      return first && word % 3 === 0 ? 'look_failed' : 'looked';
    case 'hooks':
      return 'stop_hooks_finished';
    case 'preparing':
      return first ? 'prepare_failed' : 'prepared';
    case 'sending':
    case 'continuing':
      return 'stream_opened';
  }
}

function makeEvent(type: GuardEventType, turn: string, move: Move, fresh: () => string): GuardEvent {
  const { word, first, second, third } = move;
  switch (type) {
    case 'prompt_started':
      // Now and then a turn is started twice.
      return { type, turn: first ? turn : fresh(), origin: pick(ORIGINS, word) };
    case 'automatic_turn_requested':
      return { type, turn: first ? turn : fresh(), related: word % 2 === 0 };
    case 'turn_settled':
      return { type, turn, background: word % 2 === 0 };
    case 'todos_written':
      return { type, turn, unfinishedCount: pick(COUNTS, word) };
    case 'hard_stopped':
      return { type, turn, reason: pick(HARD_STOP_REASONS, word) };
    case 'chain_ended':
      return { type, reason: pick(CHAIN_END_REASONS, word) };
    case 'approval_mode_changed':
      return { type, mode: pick(MODES, word) };
    case 'queued_prompt_dropped':
    case 'background_ended':
      return { type };
    case 'looked':
      return { type, turn, userMessages: first, queuedPrompt: second, background: third };
    case 'stop_hooks_finished':
      return { type, turn, blocked: word % 3 === 0 };
    case 'user_message_sent':
    case 'turn_failed':
    case 'model_stopped':
    case 'tools_finished':
    case 'look_failed':
    case 'prepared':
    case 'prepare_failed':
    case 'stream_opened':
      return { type, turn };
  }
}

function pick<Item>(items: readonly Item[], word: number): Item {
  const item = items[word % items.length];
  if (item === undefined) throw new RangeError('items must not be empty.');
  return item;
}
