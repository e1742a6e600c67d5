import { describe, expect, it } from 'vitest';
import { guardPrompt } from 'todo-stop-guard/machine';
import { armed, CONTINUED, from, guardOn, play, TO_COALESCED_SEND, TO_SEND, TO_VERDICT } from './scenario.ts';

const automatic = play('automatic_turn_requested unrelated', 'todos_written 2');
const messaged = { kind: 'continue', carries: ['user_messages'] };

describe('a natural stop', () => {
  it('[O0] of an inactive chain asks for no look: the hooks run, and the turn ends', () => {
    for (const [before, reason] of [
      [play('prompt_started user'), 'nothing_unfinished'],
      [armed().play('todos_written 0'), 'nothing_unfinished'],
      [armed().play('turn_failed'), 'paused'],
      [armed().play('hard_stopped cancelled'), 'suspended'],
      [armed(1, 1).play(...CONTINUED, ...TO_VERDICT, 'turn_settled', 'two: prompt_started user'), 'nothing_unfinished'],
    ] as const) {
      const turn = before.state.off ? undefined : before.state.turn?.id;
      const stopped = before.play(`${String(turn)}: model_stopped`);
      expect(stopped.decision).toEqual({ kind: 'run_stop_hooks' });
      expect(stopped.play(`${String(turn)}: stop_hooks_finished`).decision).toEqual({ kind: 'stop', reason });
    }
  });

  it('[O0] of an inactive chain lets a hook go on', () => {
    expect(play('prompt_started user', 'model_stopped', 'stop_hooks_finished blocked').decision).toEqual({
      kind: 'continue',
      carries: ['stop_hook_reason'],
    });
  });

  it('[O0] of an inactive chain on an automatic turn simply ends', () => {
    expect(play('automatic_turn_requested unrelated', 'model_stopped').decision).toEqual({
      kind: 'stop',
      reason: 'nothing_unfinished',
    });
  });

  it('[O0] [F12] [F13] is one only when the host says so: nothing else opens the dialogue', () => {
    const { decisions } = armed().play('turn_failed', 'user_message_sent', 'background_ended', 'todos_written 2');
    expect(decisions.every(({ kind }) => kind !== 'look' && kind !== 'run_stop_hooks')).toBe(true);
  });

  it.each<[status: string, lines: string[]]>([
    ['armed', []],
    ['idle', ['todos_written 0']],
    ['paused', ['turn_failed']],
    ['suspended', ['hard_stopped loop_detected']],
  ])('[O0] [O2] ends before the hooks while a queued prompt has priority and the chain is %s', (_, lines) => {
    const queued = armed().play('model_stopped', 'looked userMessages queuedPrompt', 'stream_opened', ...lines);
    const { decisions, state } = queued.play('model_stopped', 'looked');
    expect(decisions.map(({ kind }) => kind)).not.toContain('run_stop_hooks');
    expect(decisions).toContainEqual({ kind: 'stop', reason: 'queued_prompt' });
    expect(state).toMatchObject({ queuedPrompt: true, turn: { stop: { at: 'stopped' } } });
  });
});

describe('the messages of the user', () => {
  it('[O1] [F27] come first: no hooks, no guard, a fresh stage', () => {
    const { state, decision } = armed().play(...CONTINUED, 'model_stopped', 'looked userMessages background');
    expect(decision).toEqual(messaged);
    expect(state).toMatchObject({ chain: { status: 'armed', spent: 0 }, turn: { stop: { at: 'continuing' } } });
  });

  it("[O1] continue in the current loop: its tool results are the host's own", () => {
    expect(armed().play('model_stopped', 'looked userMessages', 'stream_opened', 'tools_finished').decision).toEqual({
      kind: 'continue',
      carries: ['tool_results'],
    });
  });

  it('[O1] [F28] that arrive when the limit is reached get their send', () => {
    const { decision } = armed().play(...CONTINUED, ...CONTINUED, 'model_stopped', 'looked userMessages');
    expect(decision).toEqual(messaged);
  });

  it('[O1] come first on automatic turns too', () => {
    expect(automatic.play('model_stopped', 'looked userMessages').decision).toEqual(messaged);
  });
});

describe('the prompt queue', () => {
  it.each([
    ['first', ['model_stopped']],
    ['second', ['model_stopped', 'looked', 'stop_hooks_finished']],
    ["second, with a hook's reason,", ['model_stopped', 'looked', 'stop_hooks_finished blocked']],
    ['last', [...TO_VERDICT, 'prepared']],
  ])('[O2] [O6] [F21] found at the %s look ends the request', (_, before) => {
    const { state, decision } = armed().play(...before, 'looked queuedPrompt background');
    expect(decision).toEqual({ kind: 'stop', reason: 'queued_prompt' });
    expect(state).toMatchObject({ chain: { status: 'armed', spent: 0 }, queuedPrompt: true });
  });

  it('[O2] found with a message lets the message run first and keeps its priority', () => {
    const { state, decision } = armed().play('model_stopped', 'looked userMessages queuedPrompt');
    expect(decision).toEqual(messaged);
    expect(state).toMatchObject({ queuedPrompt: true });
  });

  it.each([
    'todos_written 0',
    'hard_stopped cancelled',
    'chain_ended rewound',
    'turn_failed',
    'approval_mode_changed plan',
  ])('[O2] keeps its priority through "%s"', (line) => {
    const { state, decision } = armed().play(
      'model_stopped',
      'looked userMessages queuedPrompt',
      'stream_opened',
      line,
      'model_stopped',
    );
    expect(decision.kind === 'look' || decision.kind === 'stop').toBe(true);
    expect(state).toMatchObject({ queuedPrompt: true });
  });

  it('[O2] is not forgotten by a look that does not see it', () => {
    expect(
      armed().play('model_stopped', 'looked userMessages queuedPrompt', 'stream_opened', 'model_stopped', 'looked')
        .decision,
    ).toEqual({
      kind: 'stop',
      reason: 'queued_prompt',
    });
  });

  it.each(['user', 'retry', 'continue'])('[O2] loses its priority when a prompt starts (%s)', (origin) => {
    const { state } = armed().play(
      'model_stopped',
      'looked queuedPrompt',
      'turn_settled',
      `two: prompt_started ${origin}`,
    );
    expect(state).toMatchObject({ queuedPrompt: false });
  });

  it('[O2] dropped ends the waiting chain and releases what was held', () => {
    const { state, decision } = armed().play(
      'model_stopped',
      'looked queuedPrompt',
      'turn_settled background',
      'queued_prompt_dropped',
    );
    expect(decision).toEqual({ kind: 'noted', released: true });
    expect(state).toMatchObject({
      chain: { status: 'suspended', reason: 'queued_prompt_dropped' },
      queuedPrompt: false,
    });
  });

  it.each(['two: automatic_turn_requested related', 'background_ended'])(
    '[O2] dropped, leaves a chain that "%s" cannot revive',
    (line) => {
      const { state } = armed().play(
        'model_stopped',
        'looked queuedPrompt',
        'turn_settled background',
        'queued_prompt_dropped',
        line,
      );
      expect(state).toMatchObject({ chain: { status: 'suspended', reason: 'queued_prompt_dropped' } });
    },
  );

  it('[O2] dropped while the turn still runs, lets it go on without the guard', () => {
    const { decisions, state } = armed().play(
      ...['model_stopped', 'looked userMessages queuedPrompt', 'stream_opened', 'queued_prompt_dropped'],
      ...[
        'todos_written 5',
        'user_message_sent',
        'tools_finished',
        'stream_opened',
        'model_stopped',
        'stop_hooks_finished',
      ],
    );
    expect(decisions.slice(-3)).toEqual([
      { kind: 'noted' },
      { kind: 'run_stop_hooks' },
      { kind: 'stop', reason: 'suspended' },
    ]);
    expect(state).toMatchObject({ chain: { status: 'suspended', reason: 'queued_prompt_dropped' } });
  });

  it('[O2] that nobody has found means nothing when it is dropped', () => {
    const before = armed();
    const { state, decision } = before.play('queued_prompt_dropped');
    expect(state).toBe(before.state);
    expect(decision).toEqual({ kind: 'ignored', reason: 'no_effect' });
  });
});

describe('the stop hooks', () => {
  it('[O3] run on foreground turns, after messages and queue', () => {
    expect(armed().play('model_stopped', 'looked background').decision).toEqual({ kind: 'run_stop_hooks' });
  });

  it('[O3] never run on automatic turns, active or not, seen or not', () => {
    for (const lines of [TO_VERDICT, ['model_stopped', 'look_failed'], ['todos_written 0', 'model_stopped']]) {
      expect(automatic.play(...lines).decisions.map(({ kind }) => kind)).not.toContain('run_stop_hooks');
    }
  });

  it('[O3] an automatic turn is continued by the guard alone', () => {
    const { decisions } = automatic.play('model_stopped', 'looked', 'prepared', 'looked');
    expect(decisions.slice(-4).map(({ kind }) => kind)).toEqual(['look', 'prepare', 'look', 'send']);
  });
});

describe('the guard', () => {
  it.each([
    ['second', ['model_stopped', 'looked', 'stop_hooks_finished']],
    ['last', [...TO_VERDICT, 'prepared']],
  ])('[O4] [F18] [F04] defers to relevant background at the %s look: no attempt, no notice', (_, before) => {
    const { state, decision } = armed().play(...before, 'looked background');
    expect(decision).toEqual({ kind: 'stop', reason: 'background' });
    expect(state).toMatchObject({ chain: { status: 'armed', unfinishedCount: 3, spent: 0 } });
  });

  it('[O4] a deferral waits as soon as the turn has settled, and a related result goes on with the budget', () => {
    const waiting = armed().play(
      ...CONTINUED,
      'model_stopped',
      'looked',
      'stop_hooks_finished',
      'looked background',
      'turn_settled background',
    );
    expect(waiting.state).toMatchObject({ chain: { status: 'paused', until: 'background', spent: 1 } });
    const { decision } = waiting.play(
      ...['automatic_turn_requested related', 'model_stopped', 'looked', 'prepared', 'looked'].map(
        (line) => `two: ${line}`,
      ),
    );
    expect(decision).toMatchObject({ kind: 'send', attempt: 2 });
  });

  it('[O4] forgets background that an earlier look has seen and a later one has not', () => {
    expect(
      armed().play('model_stopped', 'looked background', 'stop_hooks_finished', 'looked', 'prepared', 'looked').decision
        .kind,
    ).toBe('send');
  });

  it("[O5] [F23] shares one call with a hook, the hook's reason first", () => {
    const { decision } = armed().play(...TO_COALESCED_SEND);
    expect(decision).toEqual({
      kind: 'send',
      carries: ['stop_hook_reason', 'guard_prompt'],
      attempt: 1,
      maxAttempts: 2,
      prompt: guardPrompt(3, false),
    });
  });

  it("[O5] spends its own attempt on a shared call, and none on a hook's", () => {
    expect(armed().play(...TO_COALESCED_SEND, 'stream_opened').state).toMatchObject({ chain: { spent: 1 } });
    const alone = armed().play(
      'model_stopped',
      'looked',
      'stop_hooks_finished blocked',
      'looked background',
      'stream_opened',
    );
    expect(alone.state).toMatchObject({ chain: { spent: 0 } });
  });

  it('[O5] defers to background while the hook goes on alone', () => {
    for (const before of [TO_COALESCED_SEND.slice(0, 3), TO_COALESCED_SEND.slice(0, 5)]) {
      expect(armed().play(...before, 'looked background').decision).toEqual({
        kind: 'continue',
        carries: ['stop_hook_reason'],
      });
    }
  });
});

describe('looking again', () => {
  it('[O6] happens after the hooks and immediately before the send', () => {
    expect(
      armed()
        .play(...TO_SEND)
        .decisions.map(({ kind }) => kind),
    ).toEqual(['admit', 'noted', 'look', 'run_stop_hooks', 'look', 'prepare', 'look', 'send']);
  });

  it.each([
    ['userMessages', 'continue'],
    ['queuedPrompt', 'stop'],
    ['background', 'stop'],
  ])('[O6] [F06] [F08] finds %s before the send, and nothing of the guard is sent', (fact, kind) => {
    const { decision, state } = armed().play(...TO_VERDICT, 'prepared', `looked ${fact}`);
    expect(decision.kind).toBe(kind);
    expect(state).toMatchObject({ chain: { spent: 0 } });
  });

  it.each([
    ['after the hooks', TO_COALESCED_SEND.slice(0, 3)],
    ['before the send', TO_COALESCED_SEND.slice(0, 5)],
  ])('[O6] [F25] finds a message %s: the hook is superseded, and runs again at the next stop', (_, before) => {
    const superseded = armed().play(...before, 'looked userMessages');
    expect(superseded.decision).toEqual(messaged);
    expect(superseded.play('stream_opened', 'model_stopped', 'looked').decision).toEqual({ kind: 'run_stop_hooks' });
  });
});

describe('one stop', () => {
  const steps: readonly (readonly [name: string, lines: readonly string[]])[] = [
    ['the first look', ['model_stopped']],
    ['the hooks', ['model_stopped', 'looked']],
    ['the second look', ['model_stopped', 'looked', 'stop_hooks_finished']],
    ['the preparation', TO_VERDICT],
    ['the last look', [...TO_VERDICT, 'prepared']],
    ['the send', TO_SEND],
    ['a continuation', ['model_stopped', 'looked userMessages']],
    ["the host's own tool results", ['tools_finished']],
  ];

  it.each(steps)('[O7] [F24] told again during %s changes nothing', (_, before) => {
    const settling = armed().play(...before);
    for (const line of ['model_stopped', 'tools_finished']) {
      const { state, decision } = settling.play(line);
      expect(state).toBe(settling.state);
      expect(decision).toEqual({ kind: 'ignored', reason: 'settling' });
    }
  });

  it('[O7] told again once it is settled changes nothing', () => {
    const settled = armed().play(...TO_VERDICT.slice(0, 3), 'looked background');
    for (const line of ['model_stopped', 'tools_finished', 'looked', 'stream_opened']) {
      expect(settled.play(line).state).toBe(settled.state);
      expect(settled.play(line).decision).toEqual({ kind: 'ignored', reason: 'stopped' });
    }
  });

  it('[O7] opens one stream: of four idle signals three are ignored', () => {
    const { decisions } = armed().play(
      ...['model_stopped', 'model_stopped', 'model_stopped', 'model_stopped'],
      ...TO_SEND.slice(1),
      'stream_opened',
      'stream_opened',
    );
    expect(decisions.filter(({ kind }) => kind === 'send')).toHaveLength(1);
    expect(decisions.filter((decision) => 'notice' in decision)).toHaveLength(1);
  });
});

describe('a message that the host has sent by itself', () => {
  it.each([
    ['the hooks', ['model_stopped', 'looked'], 'stop_hooks_finished blocked'],
    ['the preparation', TO_VERDICT, 'prepared'],
    ['the send', TO_SEND, 'stream_opened'],
  ])('[O1] [O7] [B2] during %s settles the stop: the late answer means nothing', (_, before, answer) => {
    const sent = armed().play(...CONTINUED, ...before, 'user_message_sent');
    expect(sent.state).toMatchObject({ chain: { status: 'armed', spent: 0 }, turn: { stop: { at: 'working' } } });
    expect(sent.play(answer).decision.kind).toBe('ignored');
    expect(sent.play(answer).state).toBe(sent.state);
    expect(sent.play('model_stopped').decision).toEqual({ kind: 'look' });
  });
});

describe('a failed look', () => {
  it('[O8] lets the hooks run without the guard, and spends and suspends nothing', () => {
    const failed = armed().play('model_stopped', 'look_failed');
    expect(failed.decision).toEqual({ kind: 'run_stop_hooks' });
    const { state, decision } = failed.play('stop_hooks_finished');
    expect(decision).toEqual({ kind: 'stop', reason: 'look_failed' });
    expect(state).toMatchObject({ chain: { status: 'armed', spent: 0 } });
  });

  it('[O8] lets a hook go on alone, at every look', () => {
    for (const lines of [
      ['model_stopped', 'look_failed', 'stop_hooks_finished blocked'],
      ['model_stopped', 'looked', 'stop_hooks_finished blocked', 'look_failed'],
      [...TO_COALESCED_SEND.slice(0, 5), 'look_failed'],
    ]) {
      const { state, decision } = armed().play(...lines);
      expect(decision).toEqual({ kind: 'continue', carries: ['stop_hook_reason'] });
      expect(state).toMatchObject({ chain: { status: 'armed', spent: 0 } });
    }
  });

  it('[O8] ends the stop where nothing else is owed', () => {
    for (const before of [
      armed().play('model_stopped', 'looked', 'stop_hooks_finished'),
      armed().play(...TO_VERDICT, 'prepared'),
      automatic.play('model_stopped'),
      armed().play(...CONTINUED, 'tools_finished'),
      armed().play(...CONTINUED, 'tools_finished', 'looked', 'prepared'),
    ]) {
      const { state, decision } = before.play('look_failed');
      expect(decision).toEqual({ kind: 'stop', reason: 'look_failed' });
      expect(state).toMatchObject({ chain: before.state.off ? {} : before.state.chain });
    }
  });

  it('[O8] does not stand in for the next stop: the guard is back', () => {
    const { decision } = armed().play(
      'model_stopped',
      'look_failed',
      'stop_hooks_finished blocked',
      'stream_opened',
      ...TO_SEND,
    );
    expect(decision).toMatchObject({ kind: 'send', attempt: 1 });
  });

  it('[O8] [O2] does not lift a priority that is known', () => {
    const { decision } = armed().play(
      'model_stopped',
      'looked userMessages queuedPrompt',
      'stream_opened',
      'model_stopped',
      'look_failed',
    );
    expect(decision).toEqual({ kind: 'stop', reason: 'queued_prompt' });
  });
});

describe('a failed preparation', () => {
  it('[O9] suspends the chain', () => {
    const { state, decision } = armed().play(...TO_VERDICT, 'prepare_failed');
    expect(decision).toEqual({ kind: 'stop', reason: 'prepare_failed' });
    expect(state).toMatchObject({ chain: { status: 'suspended', reason: 'prepare_failed' } });
  });

  it('[O9] [H1] lets a hook that was coalesced go on alone with its own reason', () => {
    const { state, decision } = armed().play(...TO_COALESCED_SEND.slice(0, 4), 'prepare_failed');
    expect(decision).toEqual({ kind: 'continue', carries: ['stop_hook_reason'] });
    expect(state).toMatchObject({ chain: { status: 'suspended', reason: 'prepare_failed' } });
    expect(from(state).play('stream_opened').decision).toEqual({ kind: 'noted' });
  });

  it('[O9] of a closing send suspends too', () => {
    const { state } = armed().play(...CONTINUED, 'todos_written 0', 'tools_finished', 'looked', 'prepare_failed');
    expect(state).toMatchObject({ chain: { status: 'suspended', reason: 'prepare_failed' } });
  });

  it("[O9] after a cancel is the cancel's", () => {
    expect(armed().play(...TO_VERDICT, 'hard_stopped cancelled', 'prepare_failed').state).toMatchObject({
      chain: { status: 'suspended', reason: 'cancelled' },
    });
  });

  it('[O9] does not hold the automatic turns back for a retry that cannot come', () => {
    const { state, decision } = armed().play(...TO_VERDICT, 'prepare_failed', 'turn_settled background');
    expect(decision).toEqual({ kind: 'noted', released: true });
    expect(from(state).play('two: automatic_turn_requested unrelated').decision).toEqual({
      kind: 'admit',
      chain: 'new',
    });
  });
});

it('[O0] an answer that was not asked for changes nothing', () => {
  const working = armed();
  for (const line of [
    'looked userMessages queuedPrompt',
    'look_failed',
    'stop_hooks_finished blocked',
    'prepared',
    'prepare_failed',
    'stream_opened',
  ]) {
    const { state, decision } = working.play(line);
    expect(state).toBe(working.state);
    expect(decision).toEqual({ kind: 'ignored', reason: 'out_of_step' });
  }
  expect(from(guardOn()).play('looked').decision).toEqual({ kind: 'ignored', reason: 'stale_turn' });
});
