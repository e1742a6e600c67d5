import { describe, expect, it } from 'vitest';
import { step } from '../../src/machine.ts';
import type { GuardEvent } from '../../src/machine.ts';
import { armed, CONTINUED, from, guardOn, play, TO_COALESCED_SEND } from './scenario.ts';

/** Cases that a machine with one condition less would get wrong. */
describe('the same object when nothing has changed', () => {
  it.each([
    [
      '[H3] a chain that a cancel has suspended is cancelled again',
      ['hard_stopped cancelled', 'chain_ended cancelled'],
    ],
    ['[C6] a chain that was rewound is rewound again', ['chain_ended rewound', 'chain_ended rewound']],
  ])('%s', (_, lines) => {
    const before = armed().play(...lines.slice(0, -1));
    const after = before.play(...lines.slice(-1));
    expect(after.decision).toEqual({ kind: 'ignored', reason: 'suspended' });
    expect(after.state).toBe(before.state);
  });

  it('[C3] a message at the start of a stage is no news', () => {
    const before = play('prompt_started user');
    const after = before.play('user_message_sent');
    expect(after.decision).toEqual({ kind: 'ignored', reason: 'no_effect' });
    expect(after.state).toBe(before.state);
  });
});

it('[C8] [H3] a write into a suspended chain is refused as that, in plan mode too', () => {
  const suspended = armed().play('hard_stopped cancelled', 'approval_mode_changed plan');
  expect(suspended.play('todos_written 2').decision).toEqual({ kind: 'ignored', reason: 'suspended' });
  const planning = from(guardOn({ plan: true })).play('prompt_started user', 'todos_written 2');
  expect(planning.decision).toEqual({ kind: 'ignored', reason: 'plan' });
});

it('[O0] a chain that is suspended during the first look has the hooks run, and no second look', () => {
  const hooks = armed().play('model_stopped', 'chain_ended rewound', 'looked');
  expect(hooks.decision).toEqual({ kind: 'run_stop_hooks' });
  expect(hooks.play('stop_hooks_finished').decision).toEqual({ kind: 'stop', reason: 'suspended' });
});

it.each(['turn_failed', 'hard_stopped loop_detected'])(
  '[H1] [H2] the tool results of a guard stream are kept after %s, and nothing is sent',
  (line) => {
    const { decision } = armed().play(...CONTINUED, line, 'tools_finished', 'looked');
    expect(decision).toMatchObject({ kind: 'stop', reason: line === 'turn_failed' ? 'paused' : 'suspended' });
  },
);

it('[B7] [C6] a shared send goes on after trust was revoked: it is the hook’s, and no attempt is told of', () => {
  const { state, decision } = armed().play(...TO_COALESCED_SEND, 'chain_ended rewound', 'stream_opened');
  expect(decision).toEqual({ kind: 'noted' });
  expect(state).toMatchObject({ chain: { status: 'suspended', reason: 'rewound' }, turn: { stop: { at: 'working' } } });
});

it('[T6] a word that is in no list is answered with the list', () => {
  const event = { type: 'prompt_started', turn: 'one', origin: 'nobody' } as unknown as GuardEvent;
  expect(() => step(guardOn(), event)).toThrow('origin must be one of: user, retry, continue.');
});

it('[T4] what is decided cannot be written to: the decisions are shared by every guard', () => {
  const { decision } = play('prompt_started user', 'tools_finished');
  expect(decision).toEqual({ kind: 'continue', carries: ['tool_results'] });
  expect(Object.isFrozen(decision)).toBe(true);
  expect('carries' in decision && Object.isFrozen(decision.carries)).toBe(true);
});
