import { describe, expect, it } from 'vitest';
import { guardPrompt, initialGuardState } from 'todo-stop-guard/machine';
import { EVENT_TYPES, parseEvent } from './parse-event.ts';
import {
  armed,
  CONTINUED,
  from,
  guardOn,
  play,
  RESULTS_TO_SEND,
  TO_COALESCED_SEND,
  TO_SEND,
  TO_VERDICT,
} from './scenario.ts';

const spentOnce = armed(3).play(...CONTINUED);
const spentAll = spentOnce.play(...CONTINUED);
const EXHAUSTED = {
  kind: 'stop',
  reason: 'exhausted',
  notice: { about: 'exhaustion', attempt: 2, maxAttempts: 2, unfinishedCount: 3 },
};

describe('the budget', () => {
  it('[B1] [F04] [F05] is two guard streams in a stage, whatever the list does', () => {
    const { decisions } = armed(3).play(
      ...[
        ...CONTINUED,
        'todos_written 1',
        'todos_written 3',
        ...CONTINUED,
        'todos_written 0',
        'todos_written 3',
        ...TO_VERDICT,
      ],
    );
    expect(decisions.filter(({ kind }) => kind === 'send')).toHaveLength(2);
    expect(decisions.at(-1)).toEqual(EXHAUSTED);
  });

  it('[B1] is of one stage, not of the life of a chain', () => {
    expect(spentAll.play('user_message_sent', ...TO_SEND).decision).toMatchObject({ kind: 'send', attempt: 1 });
  });

  it.each([1, 2, 3, 10])('[B1] can be %i', (maxAttempts) => {
    const played = Array.from({ length: maxAttempts }).reduce<ReturnType<typeof armed>>(
      (before) => before.play(...CONTINUED),
      armed(3, maxAttempts),
    );
    expect(played.decisions.filter(({ kind }) => kind === 'send')).toHaveLength(maxAttempts);
    expect(played.play(...TO_VERDICT).decision).toMatchObject({
      kind: 'stop',
      notice: { attempt: maxAttempts, maxAttempts },
    });
  });

  it('[B1] is two unless an option says otherwise', () => {
    expect(initialGuardState({ enabled: true })).toMatchObject({ maxAttempts: 2 });
  });

  it.each([0, 11, -1, 1.5, NaN, Infinity])('[B1] cannot be %d', (maxAttempts) => {
    expect(() => initialGuardState({ enabled: true, maxAttempts })).toThrow(RangeError);
    expect(() => initialGuardState({ enabled: false, maxAttempts })).toThrow(/maxAttempts.*1 to 10/);
  });

  it('[B1] [F02] is not renewed by an interruption and a retry', () => {
    const { state } = spentOnce.play('turn_failed', 'turn_settled', 'two: prompt_started continue');
    expect(state).toMatchObject({ chain: { status: 'armed', spent: 1 } });
  });

  it('[B1] [F05] counts spent attempts through a completed list', () => {
    expect(spentOnce.play('todos_written 0', 'todos_written 2').state).toMatchObject({
      chain: { status: 'armed', spent: 1 },
    });
  });
});

describe('an attempt', () => {
  it('[B2] [F29] is spent when the stream has opened, not before', () => {
    expect(armed().play(...TO_SEND).state).toMatchObject({ chain: { status: 'armed', spent: 0 } });
    const { state, decision } = armed().play(...CONTINUED);
    expect(state).toMatchObject({ chain: { status: 'armed', spent: 1 }, turn: { stop: { at: 'guard_stream' } } });
    expect(decision).toEqual({
      kind: 'noted',
      notice: { about: 'continuation', attempt: 1, maxAttempts: 2, unfinishedCount: 3 },
    });
  });

  it.each(['hard_stopped cancelled', 'hard_stopped token_limit', 'turn_failed'])(
    '[B2] is not spent by "%s" before that',
    (line) => {
      expect(
        armed()
          .play(...TO_SEND, line)
          .decisions.some((decision) => 'notice' in decision),
      ).toBe(false);
    },
  );

  it('[B2] is not spent by a failed preparation', () => {
    expect(armed().play(...TO_VERDICT, 'prepare_failed').decision).toEqual({ kind: 'stop', reason: 'prepare_failed' });
  });

  it('[B2] is not spent when a message of the user supersedes it', () => {
    const { state } = spentOnce.play(...TO_VERDICT, 'prepared', 'looked userMessages', 'stream_opened');
    expect(state).toMatchObject({ chain: { status: 'armed', spent: 0 } });
  });

  it('[B2] is not given back by a failure after it', () => {
    expect(spentOnce.play('turn_failed').state).toMatchObject({ chain: { status: 'paused', spent: 1 } });
    expect(spentOnce.play('turn_failed', 'turn_settled', 'two: prompt_started retry').state).toMatchObject({
      chain: { spent: 1 },
    });
  });

  it('[B2] counts as spent when the turn settles without a word about the send', () => {
    const { state, decision } = armed().play(...TO_SEND, 'turn_settled');
    expect(state).toMatchObject({ turn: null, chain: { status: 'armed', spent: 1 } });
    expect(decision).toEqual({
      kind: 'noted',
      notice: { about: 'continuation', attempt: 1, maxAttempts: 2, unfinishedCount: 3 },
      released: true,
    });
  });

  it('[B2] counts as spent then too when background lives on', () => {
    const { state } = armed().play(...TO_COALESCED_SEND, 'turn_settled background');
    expect(state).toMatchObject({ turn: null, chain: { status: 'paused', until: 'background', spent: 1 } });
  });

  it('[B2] is not spent when the turn settles before the send', () => {
    expect(armed().play(...TO_VERDICT, 'prepared', 'turn_settled').state).toMatchObject({
      chain: { status: 'armed', spent: 0 },
    });
  });

  it('[B2] is spent once by a stream, however often that is said', () => {
    const { state, decision } = spentOnce.play('stream_opened');
    expect(state).toBe(spentOnce.state);
    expect(decision).toEqual({ kind: 'ignored', reason: 'out_of_step' });
  });
});

describe('the tool results of a guard stream', () => {
  it('[B3] are followed by the guard prompt while items are unfinished, and count', () => {
    const { decision, state } = spentOnce.play('todos_written 2', ...RESULTS_TO_SEND);
    expect(decision).toEqual({
      kind: 'send',
      carries: ['tool_results', 'guard_prompt'],
      attempt: 2,
      maxAttempts: 2,
      prompt: guardPrompt(2, true),
    });
    expect(from(state).play('stream_opened').state).toMatchObject({
      chain: { spent: 2 },
      turn: { stop: { at: 'guard_stream' } },
    });
  });

  it('[B3] [O3] take the road without hooks', () => {
    expect(
      spentOnce
        .play(...RESULTS_TO_SEND)
        .decisions.slice(-4)
        .map(({ kind }) => kind),
    ).toEqual(['look', 'prepare', 'look', 'send']);
  });

  it('[B3] [O4] are deferred by relevant background, at either look', () => {
    for (const before of [['tools_finished'], ['tools_finished', 'looked', 'prepared']]) {
      const { state, decision } = spentOnce.play(...before, 'looked background');
      expect(decision).toEqual({ kind: 'stop', reason: 'background' });
      expect(state).toMatchObject({ chain: { status: 'armed', spent: 1 } });
    }
  });

  it("[B3] only of a guard stream are the guard's business", () => {
    const { state, decision } = armed().play('tools_finished');
    expect(decision).toEqual({ kind: 'continue', carries: ['tool_results'] });
    expect(from(state).play('stream_opened', 'tools_finished').decision).toEqual(decision);
  });

  it('[B4] after the last attempt open no further stream', () => {
    const { state, decision } = spentAll.play('tools_finished', 'looked');
    expect(decision).toEqual(EXHAUSTED);
    expect(state).toMatchObject({ chain: { status: 'exhausted' }, turn: { stop: { at: 'stopped' } } });
  });

  it('[B4] after the last attempt open none for a completed list either', () => {
    const { decision } = spentAll.play('todos_written 0', 'tools_finished', 'looked');
    expect(decision).toEqual({ kind: 'stop', reason: 'nothing_unfinished' });
  });

  it('[B5] that completed the list may be sent by the remaining attempt, without a prompt', () => {
    const { decisions, state } = spentOnce.play('todos_written 0', ...RESULTS_TO_SEND, 'stream_opened');
    expect(decisions.slice(-2)).toEqual([
      { kind: 'send', carries: ['tool_results'], attempt: 2, maxAttempts: 2 },
      { kind: 'noted', notice: { about: 'continuation', attempt: 2, maxAttempts: 2, unfinishedCount: 0 } },
    ]);
    expect(state).toMatchObject({ chain: { status: 'idle', spent: 2 } });
  });

  it('[B5] that completed the list are not deferred by background', () => {
    const { decision } = spentOnce.play(
      'todos_written 0',
      'tools_finished',
      'looked background',
      'prepared',
      'looked background',
    );
    expect(decision.kind).toBe('send');
  });

  it('[B5] are not sent in plan mode', () => {
    const { decision } = spentOnce.play('todos_written 0', 'approval_mode_changed plan', 'tools_finished', 'looked');
    expect(decision).toEqual({ kind: 'stop', reason: 'nothing_unfinished' });
  });

  it('[B5] need tool results: a natural stop with a completed list ends', () => {
    const { decision } = spentOnce.play('todos_written 0', 'model_stopped', 'stop_hooks_finished');
    expect(decision).toEqual({ kind: 'stop', reason: 'nothing_unfinished' });
  });

  it('[B5] carry a prompt after all when the list has grown again meanwhile', () => {
    const { decision } = spentOnce.play(
      'todos_written 0',
      'tools_finished',
      'looked',
      'todos_written 1',
      'prepared',
      'looked',
    );
    expect(decision).toMatchObject({
      kind: 'send',
      carries: ['tool_results', 'guard_prompt'],
      prompt: guardPrompt(1, true),
    });
  });

  it.each([
    ['attempts remain', spentOnce],
    ['the last attempt is spent', spentAll],
    ['the list is completed', spentOnce.play('todos_written 0')],
    ['background lives', spentOnce],
    ['plan mode began', spentOnce.play('approval_mode_changed plan')],
    ['the chain is suspended', spentOnce.play('hard_stopped loop_detected')],
  ])('[B6] [F28] are sponsored by a mid-turn message when %s', (_, before) => {
    const { state, decision } = before.play('tools_finished', 'looked userMessages background', 'stream_opened');
    expect(decision).toEqual({ kind: 'noted' });
    expect(state).toMatchObject({ turn: { stop: { at: 'working' } } });
    expect(before.play('tools_finished', 'looked userMessages').decision).toEqual({
      kind: 'continue',
      carries: ['tool_results', 'user_messages'],
    });
  });

  it('[B6] are sponsored at the last look too, and spend nothing', () => {
    const { state, decision } = spentOnce.play('tools_finished', 'looked', 'prepared', 'looked userMessages');
    expect(decision).toEqual({ kind: 'continue', carries: ['tool_results', 'user_messages'] });
    expect(state).toMatchObject({ chain: { spent: 0 } });
  });

  it("[B6] are the user's when the host's own loop sent a message along", () => {
    const { decision } = spentOnce.play('user_message_sent', 'tools_finished');
    expect(decision).toEqual({ kind: 'continue', carries: ['tool_results'] });
  });

  it.each([
    ['with attempts left', armed().play(...TO_COALESCED_SEND, 'stream_opened')],
    ['without attempts left', armed(3, 1).play(...TO_COALESCED_SEND, 'stream_opened')],
    ['with a completed list', armed().play(...TO_COALESCED_SEND, 'stream_opened', 'todos_written 0')],
    [
      'after a hook that the guard could not join',
      armed().play('model_stopped', 'looked', 'stop_hooks_finished blocked', 'looked background', 'stream_opened'),
    ],
  ])("[B7] of a stream that is shared with a hook are the hook's, %s", (_, before) => {
    const { state, decision } = before.play('tools_finished', 'stream_opened', 'tools_finished');
    expect(decision).toEqual({ kind: 'continue', carries: ['tool_results'] });
    expect(state).toMatchObject({ chain: before.state.off ? {} : before.state.chain });
  });
});

describe('exhaustion', () => {
  it('[B8] [F32] is reported at the stop that finds the budget spent', () => {
    const { state, decision } = spentAll.play(...TO_VERDICT);
    expect(decision).toEqual(EXHAUSTED);
    expect(state).toMatchObject({ chain: { status: 'exhausted', unfinishedCount: 3 } });
  });

  it('[B8] [F32] is reported once a stage, whatever the list does afterwards', () => {
    const { decisions } = spentAll.play(
      ...TO_VERDICT,
      ...['turn_settled background', 'two: automatic_turn_requested related'],
      ...['todos_written 0', 'todos_written 5', 'model_stopped'].map((line) => `two: ${line}`),
      ...['two: turn_settled', 'three: automatic_turn_requested related', 'three: model_stopped'],
    );
    expect(decisions.filter((decision) => 'notice' in decision && decision.notice.about === 'exhaustion')).toHaveLength(
      1,
    );
    expect(decisions.at(-1)).toEqual({ kind: 'stop', reason: 'exhausted' });
  });

  it('[B8] waits while a hook goes on', () => {
    const shared = spentAll.play('model_stopped', 'looked', 'stop_hooks_finished blocked', 'looked');
    expect(shared.decision).toEqual({ kind: 'continue', carries: ['stop_hook_reason'] });
    expect(shared.state).toMatchObject({ chain: { status: 'armed', spent: 2 } });
    expect(shared.play('stream_opened', ...TO_VERDICT).decision).toEqual(EXHAUSTED);
  });

  it('[B8] [O4] waits while background lives', () => {
    const { state, decision } = spentAll.play('model_stopped', 'looked', 'stop_hooks_finished', 'looked background');
    expect(decision).toEqual({ kind: 'stop', reason: 'background' });
    expect(state).toMatchObject({ chain: { status: 'armed', spent: 2 } });
  });

  it('[B8] is left by new user input or a new chain only, and is not resumable', () => {
    const exhausted = spentAll.play(...TO_VERDICT);
    for (const line of ['turn_failed', 'background_ended', 'todos_written 0', 'approval_mode_changed plan']) {
      expect(exhausted.play(line).state).toMatchObject({ chain: { status: 'exhausted' } });
    }
    expect(exhausted.play('turn_settled background').state).toMatchObject({ chain: { status: 'exhausted' } });
    expect(exhausted.play('user_message_sent').state).toMatchObject({ chain: { status: 'armed' } });
    expect(exhausted.play('two: prompt_started user').state).toMatchObject({ chain: { status: 'idle' } });
  });

  it('[B9] [F14] no event carries text of the model', () => {
    const events = EVENT_TYPES.map((type) => {
      const words: Record<string, string> = {
        prompt_started: 'user',
        automatic_turn_requested: 'related',
        hard_stopped: 'cancelled',
        chain_ended: 'rewound',
      };
      return parseEvent([type, words[type]].filter(Boolean).join(' '));
    });
    const fields = new Set(events.flatMap((event) => Object.keys(event)));
    expect([...fields].sort()).toEqual(
      [
        'background',
        'blocked',
        'mode',
        'origin',
        'queuedPrompt',
        'reason',
        'related',
        'turn',
        'type',
        'unfinishedCount',
        'userMessages',
      ].sort(),
    );
  });
});

describe('what is sent', () => {
  it('[N1] begins with the count, every time', () => {
    const { decision } = armed(7).play(...TO_SEND);
    expect(decision).toMatchObject({
      prompt:
        '[Todo Stop Guard] 7 todo item(s) are still pending or in progress. Continue executing the current task now. Do not ask the user whether to continue. If progress requires user input, use the structured question or permission flow. If progress depends on external state, report the blocker explicitly.',
    });
  });

  it('[N2] ends with the last call on the last attempt of the stage only', () => {
    const lastCall =
      ' This is the final automatic continuation. Before ending, either complete/update the todos or report the completed progress and the exact blocker.';
    expect(spentOnce.play(...TO_SEND).decision).toMatchObject({ prompt: expect.stringContaining(lastCall) as string });
    expect(armed(3, 1).play(...TO_SEND).decision).toMatchObject({
      prompt: expect.stringContaining(lastCall) as string,
    });
    expect(armed(3).play(...TO_SEND).decision).toMatchObject({
      prompt: expect.not.stringContaining('final') as string,
    });
  });

  it('[N1] counts what is unfinished when it is sent', () => {
    const { decision } = armed(7).play(...TO_VERDICT, 'todos_written 4', 'prepared', 'looked');
    expect(decision).toMatchObject({ prompt: expect.stringMatching(/^\[Todo Stop Guard\] 4 /) as string });
  });

  it('[N3] each committed continuation has one notice with its numbers', () => {
    const notices = spentAll.decisions.flatMap((decision) => ('notice' in decision ? [decision.notice] : []));
    expect(notices).toEqual([
      { about: 'continuation', attempt: 1, maxAttempts: 2, unfinishedCount: 3 },
      { about: 'continuation', attempt: 2, maxAttempts: 2, unfinishedCount: 3 },
    ]);
  });

  it("[N3] a continuation that is not the guard's has none", () => {
    const { decisions } = armed().play(
      'model_stopped',
      'looked userMessages',
      'stream_opened',
      'tools_finished',
      'stream_opened',
    );
    expect(decisions.some((decision) => 'notice' in decision)).toBe(false);
  });

  it('[N4] exhaustion tells how many attempts were spent', () => {
    expect(armed(1, 1).play(...CONTINUED, ...TO_VERDICT).decision).toMatchObject({
      notice: { about: 'exhaustion', attempt: 1, maxAttempts: 1, unfinishedCount: 1 },
    });
  });

  it('[T4] is made of numbers and fixed words', () => {
    expect(play('prompt_started user', 'todos_written 2').state).toEqual({
      ...guardOn(),
      chain: { status: 'armed', unfinishedCount: 2, spent: 0 },
      turn: { id: 'one', automatic: false, stop: { at: 'working' } },
    });
  });
});
