import { describe, expect, it } from 'vitest';
import { HARD_STOP_REASONS } from '../../src/reasons.ts';
import { holds } from 'todo-stop-guard/machine';
import { armed, CONTINUED, from, guardOn, play, TO_COALESCED_SEND, TO_SEND, TO_VERDICT } from './scenario.ts';

describe.each(HARD_STOP_REASONS)('a hard stop by %s', (reason) => {
  const stopped = `hard_stopped ${reason}`;

  it.each([
    ['unarmed', play('prompt_started user')],
    ['armed', armed()],
    ['armed with an attempt spent', armed().play(...CONTINUED)],
    ['paused', armed().play('turn_failed')],
    ['exhausted', armed(1, 1).play(...CONTINUED, ...TO_VERDICT)],
    ['disarmed', armed().play('todos_written 0')],
    ['automatic', play('automatic_turn_requested unrelated', 'todos_written 1')],
  ])('[H1] [F09] suspends a chain that is %s', (_, before) => {
    const { state } = before.play(stopped);
    expect(state).toMatchObject({ chain: { status: 'suspended', reason } });
  });

  it.each([
    ['the first look', ['model_stopped']],
    ['the hooks', ['model_stopped', 'looked']],
    ['the second look', ['model_stopped', 'looked', 'stop_hooks_finished']],
    ['the preparation', TO_VERDICT],
    ['the last look', [...TO_VERDICT, 'prepared']],
    ['the send', TO_SEND],
    ['a send that a hook shares', TO_COALESCED_SEND],
    ['a continuation', ['model_stopped', 'looked userMessages']],
  ])('[H1] [B2] during %s ends the dialogue and spends nothing', (_, before) => {
    const { state, decision } = armed().play(...before, stopped);
    expect(decision).toEqual({ kind: 'stop', reason });
    expect(state).toMatchObject({ chain: { status: 'suspended', reason }, turn: { stop: { at: 'stopped' } } });
  });

  it('[H3] [F07] lasts through every further event of the chain', () => {
    const suspended = armed().play(stopped);
    for (const line of [
      'todos_written 5',
      'todos_written 0',
      'turn_failed',
      'user_message_sent',
      'background_ended',
      'hard_stopped loop_detected',
    ]) {
      expect([line, suspended.play(line).state]).toEqual([line, suspended.state]);
    }
    const { decisions } = suspended.play(
      ...[
        'model_stopped',
        'stop_hooks_finished',
        'model_stopped',
        'model_stopped',
        'tools_finished',
        'turn_settled background',
      ],
    );
    expect(decisions.slice(3)).toEqual([
      { kind: 'run_stop_hooks' },
      { kind: 'stop', reason: 'suspended' },
      { kind: 'ignored', reason: 'stopped' },
      { kind: 'ignored', reason: 'stopped' },
      { kind: 'ignored', reason: 'stopped' },
      { kind: 'noted', released: true },
    ]);
  });
});

describe('a suspension', () => {
  it('[H3] [F07] lasts through a related turn and its stop', () => {
    const { decision } = armed().play(
      'hard_stopped cancelled',
      'turn_settled',
      ...['automatic_turn_requested related', 'todos_written 2', 'model_stopped'].map((line) => `two: ${line}`),
    );
    expect(decision).toEqual({ kind: 'stop', reason: 'suspended' });
  });

  it.each(['looked', 'look_failed', 'stop_hooks_finished blocked', 'prepared', 'prepare_failed', 'stream_opened'])(
    '[H3] ignores the late answer "%s" of the dialogue that it ended',
    (line) => {
      for (const before of [['model_stopped'], ['model_stopped', 'looked'], TO_VERDICT, TO_SEND]) {
        const suspended = armed().play(...before, 'hard_stopped cancelled');
        const { state, decision } = suspended.play(line);
        expect(decision.kind).toBe('ignored');
        expect(state).toBe(suspended.state);
      }
    },
  );

  it('[H3] keeps its first reason', () => {
    expect(armed().play('hard_stopped token_limit', 'hard_stopped cancelled').state).toMatchObject({
      chain: { status: 'suspended', reason: 'token_limit' },
    });
  });

  it('[H1] [F30] by a token limit stops the growth: the next stop does not continue', () => {
    const { decision } = armed().play(...CONTINUED, 'hard_stopped token_limit', 'model_stopped', 'stop_hooks_finished');
    expect(decision).toEqual({ kind: 'stop', reason: 'suspended' });
  });

  it('[H1] [F33] by the cap of the hooks holds for the guard too', () => {
    const { decisions, state } = armed().play(
      'model_stopped',
      'looked',
      'hard_stopped stop_hook_cap',
      'stop_hooks_finished blocked',
    );
    expect(decisions.slice(-2)).toEqual([
      { kind: 'stop', reason: 'stop_hook_cap' },
      { kind: 'ignored', reason: 'stopped' },
    ]);
    expect(state).toMatchObject({ chain: { status: 'suspended', reason: 'stop_hook_cap' } });
  });

  it('[T5] [H1] that a PostToolUse hook asks for outlasts the result it came after', () => {
    const { decision } = armed(4).play('hard_stopped post_tool_use_stop', 'model_stopped', 'stop_hooks_finished');
    expect(decision).toEqual({ kind: 'stop', reason: 'suspended' });
  });

  it('[H4] stops a guard stream like any other, and no later one opens', () => {
    const { decision } = armed().play(...CONTINUED, 'hard_stopped permission_cancelled', 'tools_finished', 'looked');
    expect(decision).toEqual({ kind: 'stop', reason: 'suspended' });
  });
});

describe('an error', () => {
  const failed = armed().play(...CONTINUED, 'turn_failed', 'turn_settled');

  it('[H2] [F03] pauses the chain for a retry', () => {
    expect(failed.state).toMatchObject({ chain: { status: 'paused', unfinishedCount: 3, spent: 1, until: 'retry' } });
  });

  it('[H2] [F03] is no natural stop: idle signals after it continue nothing', () => {
    const { decisions } = armed().play('turn_failed', 'model_stopped', 'stop_hooks_finished', 'model_stopped');
    expect(decisions.slice(3)).toEqual([
      { kind: 'run_stop_hooks' },
      { kind: 'stop', reason: 'paused' },
      { kind: 'ignored', reason: 'stopped' },
    ]);
  });

  it('[F01] [F03] repeated through retries never renews the budget', () => {
    const retried = failed.play(
      ...['prompt_started retry', ...CONTINUED, 'turn_failed', 'turn_settled'].map((line) => `two: ${line}`),
      ...['prompt_started retry', ...TO_VERDICT].map((line) => `three: ${line}`),
    );
    expect(retried.decision).toMatchObject({ kind: 'stop', reason: 'exhausted' });
  });

  it.each([
    ['the first look', ['model_stopped']],
    ['the hooks', ['model_stopped', 'looked']],
    ['the preparation', TO_VERDICT],
    ['the send', TO_SEND],
    ['a continuation', ['model_stopped', 'looked userMessages']],
  ])('[H2] [B2] during %s ends the dialogue and spends nothing', (_, before) => {
    const { state, decision } = armed().play(...before, 'turn_failed');
    expect(decision).toEqual({ kind: 'stop', reason: 'turn_failed' });
    expect(state).toMatchObject({ chain: { status: 'paused', spent: 0, until: 'retry' } });
  });

  it.each(['background_ended', 'approval_mode_changed yolo', 'queued_prompt_dropped', 'todos_written 3'])(
    '[H2] is waited out through "%s"',
    (line) => {
      expect(armed().play('turn_failed').play(line).state).toMatchObject({
        chain: { status: 'paused', until: 'retry' },
      });
    },
  );

  it('[H2] [C4] is lifted by a related result, and by a mid-turn message', () => {
    expect(failed.play('two: automatic_turn_requested related').state).toMatchObject({
      chain: { status: 'armed', spent: 1 },
    });
    expect(armed().play('turn_failed', 'user_message_sent').state).toMatchObject({ chain: { status: 'armed' } });
  });

  it('[H2] can be given up, which ends the chain', () => {
    const { state, decision } = failed.play('chain_ended retry_abandoned');
    expect(state).toMatchObject({ chain: { status: 'suspended', reason: 'retry_abandoned' } });
    expect(decision).toEqual({ kind: 'noted', released: true });
    expect(holds(state, false)).toBeNull();
  });

  it('[H2] has nothing to pause where nothing is unfinished', () => {
    const before = play('prompt_started user');
    const { state, decision } = before.play('turn_failed');
    expect(state).toBe(before.state);
    expect(decision).toEqual({ kind: 'ignored', reason: 'no_effect' });
  });

  it('[H2] does not soften a suspension', () => {
    expect(armed().play('hard_stopped cancelled', 'turn_failed').state).toMatchObject({
      chain: { status: 'suspended' },
    });
  });
});

it('[H1] a cancel while no turn runs ends the chain', () => {
  const { state } = armed().play('turn_settled background', 'chain_ended cancelled');
  expect(state).toMatchObject({ chain: { status: 'suspended', reason: 'cancelled' } });
  expect(from(guardOn()).play('chain_ended cancelled').state).toMatchObject({ chain: { status: 'suspended' } });
});
