import { describe, expect, it } from 'vitest';
import { CHAIN_END_REASONS } from '../../src/reasons.ts';
import { holds } from 'todo-stop-guard/machine';
import { armed, CONTINUED, from, guardOn, play, TO_SEND, TO_VERDICT } from './scenario.ts';

const FRESH = { status: 'idle', spent: 0 };
const exhausted = armed(2, 1).play(...CONTINUED, ...TO_VERDICT);
const spentOnce = armed(3).play(...CONTINUED);

describe('a prompt of the user', () => {
  it.each([
    ['an armed chain', armed().play('turn_settled')],
    ['a chain with spent attempts', spentOnce.play('turn_settled')],
    ['a chain that waits for a retry', armed().play('turn_failed', 'turn_settled')],
    ['a chain that waits for background', armed().play('turn_settled background')],
    ['an exhausted chain', exhausted.play('turn_settled')],
    ['a cancelled chain', armed().play('hard_stopped cancelled', 'turn_settled')],
    ['a chain whose trust was revoked', armed().play('chain_ended rewound', 'turn_settled')],
  ])('[C1] [F10] [F11] [F31] [F34] starts an unarmed chain after %s', (_, before) => {
    const { state, decision } = before.play('two: prompt_started user');
    expect(decision).toEqual({ kind: 'admit', chain: 'new' });
    expect(state).toMatchObject({ chain: FRESH, turn: { id: 'two', automatic: false }, queuedPrompt: false });
  });

  it('[C1] [F10] stops without a look, though the list of the old task is still unfinished', () => {
    const { decision } = armed().play('turn_settled', 'two: prompt_started user', 'two: model_stopped');
    expect(decision).toEqual({ kind: 'run_stop_hooks' });
  });

  it.each(['user', 'retry', 'continue'])(
    '[C1] of the origin %s supersedes a live turn and inherits nothing',
    (origin) => {
      const { state, decision } = spentOnce.play(`two: prompt_started ${origin}`);
      expect(decision).toEqual({ kind: 'admit', chain: 'new' });
      expect(state).toMatchObject({ chain: FRESH, turn: { id: 'two', stop: { at: 'working' } } });
    },
  );

  it('[C1] supersedes an automatic turn', () => {
    const { state } = play('automatic_turn_requested unrelated', 'todos_written 2', 'two: prompt_started user');
    expect(state).toMatchObject({ chain: FRESH, turn: { id: 'two', automatic: false } });
  });

  it('[C1] [F11] has the whole budget', () => {
    const { decision } = spentOnce.play(
      'turn_settled',
      'two: prompt_started user',
      'two: todos_written 1',
      ...TO_SEND.map((line) => `two: ${line}`),
    );
    expect(decision).toMatchObject({ kind: 'send', attempt: 1 });
  });

  it('[C1] that is started twice is ignored', () => {
    const before = armed().state;
    const { state, decision } = from(before).play('prompt_started user');
    expect(state).toBe(before);
    expect(decision).toEqual({ kind: 'ignored', reason: 'already_started' });
  });
});

describe.each(['retry', 'continue'])('a trusted %s', (origin) => {
  const again = `two: prompt_started ${origin}`;

  it('[C2] keeps the count and the budget of an armed chain', () => {
    const { state, decision } = spentOnce.play('turn_settled', again);
    expect(decision).toEqual({ kind: 'admit', chain: 'kept' });
    expect(state).toMatchObject({ chain: { status: 'armed', unfinishedCount: 3, spent: 1 }, turn: { id: 'two' } });
  });

  it('[C2] [H2] takes up a chain that waits for it', () => {
    const { state, decision } = spentOnce.play('turn_failed', 'turn_settled', again);
    expect(decision).toEqual({ kind: 'admit', chain: 'kept' });
    expect(state).toMatchObject({ chain: { status: 'armed', unfinishedCount: 3, spent: 1 } });
  });

  it('[C2] takes up a chain that waits for background', () => {
    const { state, decision } = armed().play('turn_settled background', again);
    expect(decision).toEqual({ kind: 'admit', chain: 'kept' });
    expect(state).toMatchObject({ chain: { status: 'armed' } });
  });

  it.each([
    ['nothing was ever trusted', from(guardOn())],
    ['the list was completed', armed().play('todos_written 0', 'turn_settled')],
    ['a list was completed with attempts spent', spentOnce.play('todos_written 0', 'turn_settled')],
    ['a hard stop', armed().play('hard_stopped token_limit', 'turn_settled')],
    ['exhaustion', exhausted.play('turn_settled')],
    ['trust was revoked', armed().play('chain_ended directory_changed', 'turn_settled')],
    ['the retry was given up', armed().play('turn_failed', 'turn_settled', 'chain_ended retry_abandoned')],
    [
      'the queued prompt was dropped',
      armed().play('model_stopped', 'looked queuedPrompt', 'turn_settled', 'queued_prompt_dropped'),
    ],
    ['plan mode dropped the count', armed().play('turn_settled', 'approval_mode_changed plan')],
    [
      'an independent chain has begun since',
      armed().play('turn_settled', 'cron: automatic_turn_requested unrelated', 'cron: turn_settled'),
    ],
  ])('[C2] starts an unarmed chain when %s', (_, before) => {
    const { state, decision } = before.play(again);
    expect(decision).toEqual({ kind: 'admit', chain: 'new' });
    expect(state).toMatchObject({ chain: FRESH });
  });

  it('[C2] starts an unarmed chain when it supersedes a live turn', () => {
    const { state, decision } = armed().play(again);
    expect(decision).toEqual({ kind: 'admit', chain: 'new' });
    expect(state).toMatchObject({ chain: FRESH });
  });
});

describe('a mid-turn message', () => {
  it('[C3] keeps the activation and gives the whole budget again', () => {
    const { state, decision } = spentOnce.play('user_message_sent');
    expect(decision).toEqual({ kind: 'noted' });
    expect(state).toMatchObject({ chain: { status: 'armed', unfinishedCount: 3, spent: 0 } });
  });

  it('[C3] that a look finds does the same', () => {
    const { state, decision } = spentOnce.play('model_stopped', 'looked userMessages');
    expect(decision).toEqual({ kind: 'continue', carries: ['user_messages'] });
    expect(state).toMatchObject({ chain: { status: 'armed', unfinishedCount: 3, spent: 0 } });
  });

  it('[C3] clears the exhausted report, so that the next stage can report anew', () => {
    const { state } = exhausted.play('user_message_sent');
    expect(state).toMatchObject({
      chain: { status: 'armed', unfinishedCount: 2, spent: 0 },
      turn: { stop: { at: 'working' } },
    });
    const again = exhausted.play('user_message_sent', ...CONTINUED, ...TO_VERDICT);
    expect(again.decision).toMatchObject({ kind: 'stop', reason: 'exhausted', notice: { about: 'exhaustion' } });
  });

  it('[C3] leaves an exhausted chain unarmed when its list has been completed since', () => {
    expect(exhausted.play('todos_written 0', 'user_message_sent').state).toMatchObject({ chain: FRESH });
  });

  it('[C3] [H2] clears a retry pause', () => {
    expect(armed().play('turn_failed', 'user_message_sent').state).toMatchObject({
      chain: { status: 'armed', spent: 0 },
    });
  });

  it.each(['hard_stopped cancelled', 'chain_ended rewound'])('[C3] [H3] does not revive a chain after "%s"', (end) => {
    const before = armed().play(end).state;
    const { state, decision } = from(before).play('user_message_sent');
    expect(state).toBe(before);
    expect(decision).toEqual({ kind: 'ignored', reason: 'suspended' });
  });

  it('[C3] does not revive a suspended chain when a look finds it', () => {
    const { state, decision } = spentOnce.play('hard_stopped loop_detected', 'tools_finished', 'looked userMessages');
    expect(decision).toEqual({ kind: 'continue', carries: ['tool_results', 'user_messages'] });
    expect(state).toMatchObject({ chain: { status: 'suspended', reason: 'loop_detected' } });
  });

  it('[C3] does not lift the priority of a queued prompt', () => {
    const { state } = armed().play(
      'model_stopped',
      'looked userMessages queuedPrompt',
      'stream_opened',
      'user_message_sent',
    );
    expect(state).toMatchObject({ queuedPrompt: true });
    expect(armed().play('model_stopped', 'looked queuedPrompt', 'user_message_sent').state).toMatchObject({
      queuedPrompt: true,
    });
  });

  it('[C3] [F22] is only what the host says it is: a guard stream is none', () => {
    const { state } = spentOnce.play('tools_finished', 'looked', 'prepared', 'looked', 'stream_opened');
    expect(state).toMatchObject({ chain: { status: 'armed', spent: 2 } });
  });

  it('[C3] with nothing to refresh keeps the state object', () => {
    const before = armed().state;
    expect(from(before).play('user_message_sent').state).toBe(before);
    expect(from(before).play('user_message_sent').decision).toEqual({ kind: 'ignored', reason: 'no_effect' });
  });
});

describe('a related background result', () => {
  it.each([
    ['an armed chain', armed().play('turn_settled'), { status: 'armed', unfinishedCount: 3, spent: 0 }],
    ['a chain with a spent attempt', spentOnce.play('turn_settled'), { status: 'armed', unfinishedCount: 3, spent: 1 }],
    [
      'a chain that waits for it',
      spentOnce.play('turn_settled background'),
      { status: 'armed', unfinishedCount: 3, spent: 1 },
    ],
    [
      'a chain that waits for a retry',
      spentOnce.play('turn_failed', 'turn_settled'),
      { status: 'armed', unfinishedCount: 3, spent: 1 },
    ],
    ['an exhausted chain', exhausted.play('turn_settled'), { status: 'exhausted', unfinishedCount: 2 }],
    [
      'a suspended chain',
      armed().play('hard_stopped token_limit', 'turn_settled'),
      { status: 'suspended', reason: 'token_limit' },
    ],
    [
      'a cancelled chain',
      armed().play('hard_stopped cancelled', 'turn_settled'),
      { status: 'suspended', reason: 'cancelled' },
    ],
    ['a completed chain', spentOnce.play('todos_written 0', 'turn_settled'), { status: 'idle', spent: 1 }],
    [
      'a chain whose queued prompt was dropped',
      armed().play('model_stopped', 'looked queuedPrompt', 'turn_settled', 'queued_prompt_dropped'),
      { status: 'suspended', reason: 'queued_prompt_dropped' },
    ],
    [
      'a chain whose guard send could not be prepared',
      armed().play(...TO_VERDICT, 'prepare_failed', 'turn_settled'),
      { status: 'suspended', reason: 'prepare_failed' },
    ],
  ])('[C4] runs as a turn of %s', (_, before, chain) => {
    const { state, decision } = before.play('two: automatic_turn_requested related');
    expect(decision).toEqual({ kind: 'admit', chain: 'kept' });
    expect(state).toMatchObject({ chain, turn: { id: 'two', automatic: true, stop: { at: 'working' } } });
  });

  it('[C4] waits for a queued prompt, and does not lift its priority', () => {
    const before = armed().play('model_stopped', 'looked queuedPrompt', 'turn_settled').state;
    const { state, decision } = from(before).play('two: automatic_turn_requested related');
    expect(decision).toEqual({ kind: 'hold', reason: 'queued_prompt' });
    expect(state).toBe(before);
  });

  it('[C4] waits while another turn is live', () => {
    const before = armed().state;
    const { state, decision } = from(before).play('two: automatic_turn_requested related');
    expect(decision).toEqual({ kind: 'hold', reason: 'turn_live' });
    expect(state).toBe(before);
  });

  it.each(CHAIN_END_REASONS.filter((reason) => reason !== 'cancelled'))(
    '[C4] [C6] counts as unrelated after the chain ended by %s',
    (reason) => {
      const { state, decision } = armed().play(
        'turn_settled background',
        `chain_ended ${reason}`,
        'two: automatic_turn_requested related',
      );
      expect(decision).toEqual({ kind: 'admit', chain: 'new' });
      expect(state).toMatchObject({ chain: FRESH });
    },
  );

  it('[C4] that is requested twice is ignored', () => {
    const before = armed().play('turn_settled', 'two: automatic_turn_requested related').state;
    const { state, decision } = from(before).play('two: automatic_turn_requested related');
    expect(state).toBe(before);
    expect(decision).toEqual({ kind: 'ignored', reason: 'already_started' });
  });
});

describe('an unrelated automatic turn', () => {
  it.each([
    ['turn_live', armed()],
    ['retry', armed().play('turn_failed', 'turn_settled')],
    ['background', armed().play('turn_settled background')],
    ['queued_prompt', armed().play('model_stopped', 'looked queuedPrompt', 'turn_settled')],
  ])('[C5] waits: %s', (reason, before) => {
    const { state, decision } = before.play('two: automatic_turn_requested unrelated');
    expect(decision).toEqual({ kind: 'hold', reason });
    expect(state).toBe(before.state);
  });

  it.each([
    ['a chain that is armed, with nothing relevant left', armed().play('turn_settled')],
    ['an exhausted chain', exhausted.play('turn_settled background')],
    ['a suspended chain', armed().play('hard_stopped cancelled', 'turn_settled background')],
    ['a completed chain', armed().play('todos_written 0', 'turn_settled background')],
    ['no chain', from(guardOn())],
  ])('[C5] starts an independent unarmed chain after %s', (_, before) => {
    const { state, decision } = before.play('two: automatic_turn_requested unrelated');
    expect(decision).toEqual({ kind: 'admit', chain: 'new' });
    expect(state).toMatchObject({ chain: FRESH, turn: { id: 'two', automatic: true } });
  });

  it('[C5] [B1] can arm its own chain, with its own budget', () => {
    const { decision } = spentOnce.play(
      'turn_settled',
      ...['automatic_turn_requested unrelated', 'todos_written 2', 'model_stopped', 'looked', 'prepared', 'looked'].map(
        (line) => `two: ${line}`,
      ),
    );
    expect(decision).toMatchObject({ kind: 'send', carries: ['guard_prompt'], attempt: 1, maxAttempts: 2 });
  });
});

describe('revoked trust', () => {
  const revocations = CHAIN_END_REASONS.filter((reason) => reason !== 'retry_abandoned');

  it.each(revocations)('[C6] by %s suspends, and late results of the live turn cannot arm again', (reason) => {
    const { state, decision } = armed().play(`chain_ended ${reason}`, 'todos_written 4');
    expect(decision).toEqual({ kind: 'ignored', reason: 'suspended' });
    expect(state).toMatchObject({ chain: { status: 'suspended', reason }, turn: { id: 'one' } });
  });

  it('[C6] holds before anything was armed, too', () => {
    expect(play('prompt_started user', 'chain_ended rewound', 'todos_written 4').state).toMatchObject({
      chain: { status: 'suspended', reason: 'rewound' },
    });
  });

  it('[C6] outweighs a hard stop that came before', () => {
    const { decision } = armed().play(
      'hard_stopped cancelled',
      'chain_ended rewound',
      'turn_settled',
      'two: automatic_turn_requested related',
    );
    expect(decision).toEqual({ kind: 'admit', chain: 'new' });
  });

  it('[C6] is not weakened by a hard stop or an end that comes after', () => {
    const before = armed().play('chain_ended rewound').state;
    const { state } = from(before).play('hard_stopped cancelled', 'chain_ended cancelled', 'chain_ended branched');
    expect(state).toBe(before);
  });

  it.each(['turn_settled', 'turn_settled background'])('[C6] [F26] releases the held turns at "%s"', (settled) => {
    const { state, decision } = armed().play('chain_ended rewound', settled);
    expect(decision).toEqual({ kind: 'noted', released: true });
    expect([holds(state, true), holds(state, false)]).toEqual([null, null]);
  });

  it('[C6] [F26] releases the held turns on the error path', () => {
    expect(armed().play('chain_ended rewound', 'turn_failed', 'turn_settled').decision).toEqual({
      kind: 'noted',
      released: true,
    });
  });

  it('[C6] [F26] releases at once what a pause held back', () => {
    expect(armed().play('turn_failed', 'turn_settled', 'chain_ended session_replaced').decision).toEqual({
      kind: 'noted',
      released: true,
    });
    expect(armed().play('turn_settled background', 'chain_ended branched').decision).toEqual({
      kind: 'noted',
      released: true,
    });
  });

  it.each(['user', 'retry', 'continue'])('[C6] makes the next prompt (%s) a fresh boundary', (origin) => {
    const { state, decision } = armed().play(
      'chain_ended rewound',
      'turn_settled',
      `two: prompt_started ${origin}`,
      'two: todos_written 1',
    );
    expect(decision).toEqual({ kind: 'noted' });
    expect(state).toMatchObject({ chain: { status: 'armed', unfinishedCount: 1, spent: 0 } });
  });

  it('[C6] makes the next independent automatic turn a fresh boundary', () => {
    const { state } = armed().play(
      'chain_ended rewound',
      'turn_settled',
      'two: automatic_turn_requested unrelated',
      'two: todos_written 1',
    );
    expect(state).toMatchObject({ chain: { status: 'armed' } });
  });

  it("[C6] between the guard's send and its stream closes the stream", () => {
    const { state, decision } = armed().play(...TO_SEND, 'chain_ended rewound', 'stream_opened');
    expect(decision.kind).toBe('ignored');
    expect(state).toMatchObject({ chain: { status: 'suspended', reason: 'rewound' } });
  });

  it.each([
    ['the first look', ['model_stopped'], 'looked'],
    ['the hooks', ['model_stopped', 'looked'], 'stop_hooks_finished'],
    ['the preparation', TO_VERDICT, 'prepared'],
  ])('[C6] during %s, lets the guard send nothing', (_, before, answer) => {
    const kinds = armed()
      .play(...before, 'chain_ended rewound', answer, 'looked', 'stop_hooks_finished', 'looked')
      .decisions.map(({ kind }) => kind);
    expect(kinds).not.toContain('send');
    expect(kinds).toContain('stop');
  });
});

describe('holding', () => {
  it('[Q3] [C5] holds unrelated turns back while the chain is resumable, related ones only for a turn or a prompt', () => {
    const table = [
      [from(guardOn()), null, null],
      [armed(), 'turn_live', 'turn_live'],
      [armed().play('turn_settled'), null, null],
      [armed().play('turn_settled background'), null, 'background'],
      [armed().play('turn_failed', 'turn_settled'), null, 'retry'],
      [armed().play('turn_failed', 'turn_settled background'), null, 'retry'],
      [
        armed().play('model_stopped', 'looked queuedPrompt', 'turn_settled background'),
        'queued_prompt',
        'queued_prompt',
      ],
      [exhausted.play('turn_settled background'), null, null],
      [armed().play('hard_stopped cancelled', 'turn_settled background'), null, null],
    ] as const;
    for (const [{ state }, related, unrelated] of table) {
      expect([holds(state, true), holds(state, false)]).toEqual([related, unrelated]);
    }
  });

  it.each([
    ['the turn settles', armed(), 'turn_settled'],
    ['the turn settles into a retry pause, for related turns', armed().play('turn_failed'), 'turn_settled'],
    ['the turn settles into waiting, for related turns', armed(), 'turn_settled background'],
    ['the turn settles after an error with nothing armed', play('prompt_started user', 'turn_failed'), 'turn_settled'],
    ['the background has ended', armed().play('turn_settled background'), 'background_ended'],
    ['the retry is given up', armed().play('turn_failed', 'turn_settled'), 'chain_ended retry_abandoned'],
    ['the user cancels while it waits', armed().play('turn_settled background'), 'chain_ended cancelled'],
    [
      'the last queued prompt is dropped',
      armed().play('model_stopped', 'looked queuedPrompt', 'turn_settled'),
      'queued_prompt_dropped',
    ],
    ['an admitted turn that could not run is settled', play('automatic_turn_requested unrelated'), 'turn_settled'],
  ])('[Q2] [F26] says released when %s', (_, before, line) => {
    expect(before.play(line).decision).toEqual({ kind: 'noted', released: true });
  });

  it('[Q2] says nothing of it while something else still holds', () => {
    expect(armed().play('model_stopped', 'looked queuedPrompt', 'turn_settled').decision).toEqual({ kind: 'noted' });
    expect(armed().play('model_stopped', 'looked queuedPrompt', 'queued_prompt_dropped').decision).toEqual({
      kind: 'noted',
    });
    expect(armed().play('chain_ended rewound').decision).toEqual({ kind: 'noted' });
  });

  it('[Q2] a background that ends when nothing waits for it changes nothing', () => {
    for (const before of [
      armed(),
      armed().play('turn_settled'),
      armed().play('turn_failed', 'turn_settled background'),
    ]) {
      const { state, decision } = before.play('background_ended');
      expect(state).toBe(before.state);
      expect(decision).toEqual({ kind: 'ignored', reason: 'no_effect' });
    }
  });

  it('[C5] a chain whose background has ended holds nothing back, and a retry still takes it up', () => {
    const { state, decision } = spentOnce.play(
      'turn_settled background',
      'background_ended',
      'two: prompt_started retry',
    );
    expect(decision).toEqual({ kind: 'admit', chain: 'kept' });
    expect(state).toMatchObject({ chain: { status: 'armed', spent: 1 } });
  });
});
