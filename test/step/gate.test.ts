import { describe, expect, it } from 'vitest';
import { holds, initialGuardState, step } from 'todo-stop-guard/machine';
import type { GuardDecision } from 'todo-stop-guard/machine';
import { EVENT_TYPES, parseEvent } from './parse-event.ts';
import { armed, from, guardOn, play } from './scenario.ts';

const OFF = initialGuardState({ enabled: false });

/** What an absent guard would mean to the host, for every event. */
const WHEN_OFF: readonly (readonly [line: string, decision: GuardDecision])[] = [
  ['prompt_started user', { kind: 'admit', chain: 'new' }],
  ['prompt_started retry', { kind: 'admit', chain: 'kept' }],
  ['prompt_started continue', { kind: 'admit', chain: 'kept' }],
  ['automatic_turn_requested related', { kind: 'admit', chain: 'kept' }],
  ['automatic_turn_requested unrelated', { kind: 'admit', chain: 'new' }],
  ['turn_settled background', { kind: 'ignored', reason: 'off' }],
  ['todos_written 3', { kind: 'ignored', reason: 'off' }],
  ['user_message_sent', { kind: 'ignored', reason: 'off' }],
  ['hard_stopped cancelled', { kind: 'ignored', reason: 'off' }],
  ['turn_failed', { kind: 'ignored', reason: 'off' }],
  ['chain_ended rewound', { kind: 'ignored', reason: 'off' }],
  ['approval_mode_changed plan', { kind: 'ignored', reason: 'off' }],
  ['queued_prompt_dropped', { kind: 'ignored', reason: 'off' }],
  ['background_ended', { kind: 'ignored', reason: 'off' }],
  ['model_stopped', { kind: 'run_stop_hooks' }],
  ['tools_finished', { kind: 'continue', carries: ['tool_results'] }],
  ['looked userMessages queuedPrompt background', { kind: 'ignored', reason: 'off' }],
  ['look_failed', { kind: 'ignored', reason: 'off' }],
  ['stop_hooks_finished', { kind: 'stop', reason: 'off' }],
  ['stop_hooks_finished blocked', { kind: 'continue', carries: ['stop_hook_reason'] }],
  ['prepared', { kind: 'ignored', reason: 'off' }],
  ['prepare_failed', { kind: 'ignored', reason: 'off' }],
  ['stream_opened', { kind: 'noted' }],
];

describe('a guard that is off', () => {
  it.each(WHEN_OFF)('[G3] [G1] answers "%s" as if it were not there, in the same state object', (line, decision) => {
    const { state, decision: answer } = step(OFF, parseEvent(line));
    expect(state).toBe(OFF);
    expect(answer).toEqual(decision);
  });

  it('[G3] is asked about with every event there is', () => {
    expect(new Set(WHEN_OFF.map(([line]) => line.split(' ')[0]))).toEqual(new Set(EVENT_TYPES));
  });

  it('[G3] holds no automatic turn back, whatever came before', () => {
    const { state } = from(OFF).play(
      'prompt_started user',
      'todos_written 3',
      'turn_failed',
      'turn_settled background',
    );
    expect([holds(state, true), holds(state, false)]).toEqual([null, null]);
  });
});

describe('plan mode', () => {
  it('[G2] [C8] [F15] takes no part: nothing arms, and a stop goes to the hooks and ends', () => {
    const { decisions } = from(guardOn({ plan: true })).play(
      'prompt_started user',
      'todos_written 3',
      'model_stopped',
      'stop_hooks_finished',
    );
    expect(decisions).toEqual([
      { kind: 'admit', chain: 'new' },
      { kind: 'ignored', reason: 'plan' },
      { kind: 'run_stop_hooks' },
      { kind: 'stop', reason: 'nothing_unfinished' },
    ]);
  });

  it('[C8] drops the unfinished count on entering', () => {
    expect(armed().play('approval_mode_changed plan').state).toMatchObject({
      plan: true,
      chain: { status: 'idle', spent: 0 },
    });
  });

  it('[C8] keeps the spent attempts through the mode', () => {
    const { state } = armed(3).play(
      ...['model_stopped', 'looked', 'stop_hooks_finished', 'looked', 'prepared', 'looked', 'stream_opened'],
      'approval_mode_changed plan',
      'approval_mode_changed default',
      'todos_written 2',
    );
    expect(state).toMatchObject({ plan: false, chain: { status: 'armed', unfinishedCount: 2, spent: 1 } });
  });

  it('[C8] keeps a suspension through the mode', () => {
    const { state } = armed().play(
      'hard_stopped cancelled',
      'approval_mode_changed plan',
      'approval_mode_changed default',
      'todos_written 2',
    );
    expect(state).toMatchObject({ chain: { status: 'suspended', reason: 'cancelled' } });
  });

  it('[C8] keeps the priority of a queued prompt', () => {
    const { state, decision } = armed().play('model_stopped', 'looked queuedPrompt', 'approval_mode_changed plan');
    expect(decision.kind).toBe('noted');
    expect(state).toMatchObject({ queuedPrompt: true });
  });

  it('[C8] keeps an exhausted chain exhausted', () => {
    const { state } = armed(1, 1).play(
      ...['model_stopped', 'looked', 'stop_hooks_finished', 'looked', 'prepared', 'looked', 'stream_opened'],
      ...['model_stopped', 'looked', 'stop_hooks_finished', 'looked'],
      'approval_mode_changed plan',
      'approval_mode_changed default',
      'todos_written 4',
    );
    expect(state).toMatchObject({ chain: { status: 'exhausted', unfinishedCount: 4 } });
  });

  it('[C8] arms by a trusted write after leaving, in the same turn', () => {
    const { decision } = from(guardOn({ plan: true })).play(
      'prompt_started user',
      'approval_mode_changed default',
      'todos_written 2',
      'model_stopped',
    );
    expect(decision).toEqual({ kind: 'look' });
  });

  it('[C8] does not arm by leaving alone', () => {
    const { state } = armed().play('approval_mode_changed plan', 'approval_mode_changed yolo');
    expect(state).toMatchObject({ chain: { status: 'idle' } });
  });

  it.each([
    ['the first look', ['model_stopped'], 'looked', 'run_stop_hooks'],
    ['the hooks', ['model_stopped', 'looked'], 'stop_hooks_finished', 'look'],
    ['the second look', ['model_stopped', 'looked', 'stop_hooks_finished'], 'looked', 'stop'],
    ['the preparation', ['model_stopped', 'looked', 'stop_hooks_finished', 'looked'], 'prepared', 'look'],
    ['the last look', ['model_stopped', 'looked', 'stop_hooks_finished', 'looked', 'prepared'], 'looked', 'stop'],
  ])('[C8] entered during %s, sends nothing', (_, before, answer, kind) => {
    expect(armed().play(...before, 'approval_mode_changed plan', answer).decision.kind).toBe(kind);
  });

  it('[C8] entered between the send and its stream, closes the stream and spends nothing', () => {
    const { state, decision } = armed().play(
      ...['model_stopped', 'looked', 'stop_hooks_finished', 'looked', 'prepared', 'looked'],
      'approval_mode_changed plan',
      'stream_opened',
    );
    expect(decision.kind).toBe('ignored');
    expect(state).toMatchObject({ chain: { status: 'idle', spent: 0 } });
  });

  it('[C8] lets a hook that blocked go on with its own reason', () => {
    const { decision } = armed().play(
      ...['model_stopped', 'looked', 'stop_hooks_finished blocked', 'approval_mode_changed plan', 'looked'],
    );
    expect(decision).toEqual({ kind: 'continue', carries: ['stop_hook_reason'] });
  });

  it('[C8] releases what a retry pause held back', () => {
    const paused = armed().play('turn_failed', 'turn_settled');
    expect(holds(paused.state, false)).toBe('retry');
    const { state, decision } = paused.play('approval_mode_changed plan');
    expect(decision).toEqual({ kind: 'noted', released: true });
    expect(holds(state, false)).toBeNull();
  });

  it('[C8] releases what waiting for background held back', () => {
    const waiting = armed().play('turn_settled background');
    expect(holds(waiting.state, false)).toBe('background');
    expect(waiting.play('approval_mode_changed plan').decision).toEqual({ kind: 'noted', released: true });
  });

  it.each(['default', 'yolo', 'auto-edit', ''])('[C7] a change to the mode "%s" keeps the state object', (mode) => {
    const before = armed().state;
    const { state, decision } = step(before, { type: 'approval_mode_changed', mode });
    expect(state).toBe(before);
    expect(decision).toEqual({ kind: 'ignored', reason: 'no_effect' });
  });

  it('[C7] no event stands for an attaching client or a changed model: neither can change anything', () => {
    expect(EVENT_TYPES).not.toContain('client_attached');
    expect(EVENT_TYPES).not.toContain('model_changed');
    expect(play('prompt_started user', 'todos_written 1').state).toMatchObject({ chain: { status: 'armed' } });
  });
});
