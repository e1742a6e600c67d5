import { describe, expect, it } from 'vitest';
import { step } from 'todo-stop-guard/machine';
import type { GuardState } from 'todo-stop-guard/machine';
import { EVENT_TYPES, parseEvent } from './parse-event.ts';
import { armed, CONTINUED, deepFreeze, from, guardOn, play, TO_SEND } from './scenario.ts';

describe('the count', () => {
  it('[T3] [F49] is that of the newest trusted result', () => {
    expect(armed(3).play('todos_written 5', 'todos_written 2').state).toMatchObject({
      chain: { status: 'armed', unfinishedCount: 2 },
    });
  });

  it('[T3] that comes to none disarms at once', () => {
    const { state, decision } = armed().play('todos_written 0', 'model_stopped', 'stop_hooks_finished');
    expect(state).toMatchObject({ chain: { status: 'idle', spent: 0 } });
    expect(decision).toEqual({ kind: 'stop', reason: 'nothing_unfinished' });
  });

  it('[T3] that comes to none in the middle of a stop lets nothing be sent', () => {
    expect(
      armed().play('model_stopped', 'looked', 'stop_hooks_finished', 'looked', 'todos_written 0', 'prepared', 'looked')
        .decision,
    ).toEqual({
      kind: 'stop',
      reason: 'nothing_unfinished',
    });
  });

  it('[T3] that comes to none does not cut the tool loop of a guard stream', () => {
    const { decisions } = armed().play(
      ...CONTINUED,
      'todos_written 0',
      'tools_finished',
      'looked',
      'prepared',
      'looked',
    );
    expect(decisions.at(-1)).toEqual({ kind: 'send', carries: ['tool_results'], attempt: 2, maxAttempts: 2 });
  });

  it('[T3] said again as it was keeps the state object', () => {
    const before = armed(3).state;
    const { state, decision } = from(before).play('todos_written 3');
    expect(state).toBe(before);
    expect(decision).toEqual({ kind: 'ignored', reason: 'no_effect' });
  });

  it.each([-1, 0.5, NaN, Infinity, 2 ** 53])(
    '[T4] refuses %d as a programming error, before anything changes',
    (unfinishedCount) => {
      const { state } = armed();
      expect(() => step(deepFreeze(state), { type: 'todos_written', turn: 'one', unfinishedCount })).toThrow(
        /unfinishedCount/,
      );
    },
  );
});

describe('the turn of an event', () => {
  const inTurn = [
    'turn_settled background',
    'todos_written 7',
    'user_message_sent',
    'hard_stopped cancelled',
    'turn_failed',
    'model_stopped',
    'tools_finished',
    'looked userMessages queuedPrompt background',
    'look_failed',
    'stop_hooks_finished blocked',
    'prepared',
    'prepare_failed',
    'stream_opened',
  ];
  const moments: readonly (readonly [name: string, state: GuardState])[] = [
    ['no turn has begun', guardOn()],
    ['another turn works', armed().state],
    ['another turn looks', armed().play('model_stopped').state],
    ['another turn sends', armed().play(...TO_SEND).state],
    ['another turn has a guard stream', armed().play(...CONTINUED).state],
    ['another turn has settled', armed().play('turn_settled background').state],
    ['another turn has failed', armed().play('turn_failed', 'turn_settled').state],
    ['a later chain lives', armed().play('turn_settled', 'three: prompt_started user', 'three: todos_written 2').state],
  ];

  it.each(moments)('[T6] is the live one, or nothing changes while %s', (_, before) => {
    for (const line of inTurn) {
      const { state, decision } = step(before, parseEvent(`two: ${line}`));
      expect([line, state === before, decision]).toEqual([line, true, { kind: 'ignored', reason: 'stale_turn' }]);
    }
  });

  it('[T6] of a settled turn never matches again, however late', () => {
    const before = armed().play('turn_settled').state;
    expect(from(before).play('todos_written 9', 'model_stopped', 'stream_opened').state).toBe(before);
  });

  it('[T6] is compared strictly', () => {
    const before = from(guardOn()).play('1: prompt_started user').state;
    expect(from(before).play('01: todos_written 3').state).toBe(before);
  });

  it.each([...inTurn, 'prompt_started user', 'automatic_turn_requested related'])(
    '[T6] [F36] must not be empty: "%s" throws what to do',
    (line) => {
      for (const state of [guardOn(), armed().state]) {
        const event = { ...parseEvent(line), turn: '' };
        expect(() => step(deepFreeze(state), event)).toThrow(TypeError);
        expect(() => step(deepFreeze(state), event)).toThrow(/turn.*pass the id/);
      }
    },
  );

  it('[T6] is a string, not the word for one', () => {
    // @ts-expect-error -- a turn's id is a string
    expect(() => step(guardOn(), { type: 'model_stopped', turn: null })).toThrow(TypeError);
    // @ts-expect-error -- a turn's id is a must
    expect(() => step(guardOn(), { type: 'model_stopped' })).toThrow(TypeError);
  });
});

describe('a programming error', () => {
  it.each(['nothing_of_the_kind', 'toString', '__proto__', ''])(
    'throws for the event type "%s" and says what to do',
    (type) => {
      // @ts-expect-error -- no such event
      expect(() => step(deepFreeze(armed().state), { type, turn: 'one' })).toThrow(/type.*GuardEvent/);
    },
  );

  it.each([
    [{ type: 'prompt_started', turn: 'two', origin: 'replay' }, /origin must be one of/],
    [{ type: 'hard_stopped', turn: 'one', reason: 'tired' }, /reason must be one of/],
    [{ type: 'chain_ended', reason: 'token_limit' }, /reason must be one of/],
    [{ type: 'approval_mode_changed', mode: undefined }, /mode must be a string/],
  ])('throws for a word that is in no list: %o', (event, message) => {
    // @ts-expect-error -- the words are closed lists
    expect(() => step(deepFreeze(armed().state), event)).toThrow(message);
  });

  it('[T4] never repeats a value, which may be Todo text', () => {
    const marker = 'buy-milk-7391';
    for (const event of [
      { type: marker },
      { type: 'hard_stopped', turn: 'one', reason: marker },
      { type: 'prompt_started', turn: 'two', origin: marker },
      { type: 'chain_ended', reason: marker },
      { type: 'todos_written', turn: 'one', unfinishedCount: marker },
      { type: 'model_stopped', turn: [marker] },
      { type: 'approval_mode_changed', mode: [marker] },
    ]) {
      // @ts-expect-error -- none of them is an event
      const tell = (): unknown => step(armed().state, event);
      expect(tell).toThrow(/must|Unknown/);
      expect(tell).not.toThrow(marker);
    }
  });

  it('is one for every guard, off or on', () => {
    // @ts-expect-error -- no such event
    expect(() => step({ off: true }, { type: 'nothing_of_the_kind' })).toThrow(TypeError);
    expect(() => step({ off: true }, { type: 'model_stopped', turn: '' })).toThrow(TypeError);
  });
});

it('[C9] the machine has no event that could restore a state', () => {
  expect(EVENT_TYPES.filter((type) => /restore|load|resume|import/.test(type))).toEqual([]);
  expect(play('chain_ended history_restored').state).toMatchObject({ chain: { status: 'suspended' } });
});
