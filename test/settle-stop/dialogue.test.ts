import { describe, expect, it } from 'vitest';
import { DaemonTodoStopGuard, guardPrompt, settleStop } from 'todo-stop-guard';
import { armedGuard, guardInTurn, NO_BACKGROUND, observed, ON, todoList } from '../guard/session.ts';
import { NOTHING, RecordingGuard, RecordingHost, settle } from './host.ts';

const FIRST_SEND = {
  kind: 'send',
  carries: ['guard_prompt'],
  attempt: 1,
  maxAttempts: 2,
  prompt: guardPrompt(2, false),
};

describe('a stop that the guard continues', () => {
  it("[O6] [N3] is asked in the machine's order, and opens one stream", async () => {
    const guard = armedGuard();
    const host = new RecordingHost();
    expect(await settle(guard, host)).toEqual({ kind: 'opened', request: FIRST_SEND, failures: [] });
    expect(host.asked).toEqual(['look', 'run_stop_hooks', 'look', 'prepare', 'look', 'open']);
    expect(host.opened).toEqual([FIRST_SEND]);
    expect(host.notices).toEqual([{ about: 'continuation', attempt: 1, maxAttempts: 2, unfinishedCount: 2 }]);
    expect(guard.state).toMatchObject({ chain: { spent: 1 }, turn: { stop: { at: 'guard_stream' } } });
  });

  it('[O5] [F23] shares its call with a hook that blocks', async () => {
    const host = new RecordingHost({ runStopHooks: () => Promise.resolve(true) });
    await settle(armedGuard(), host);
    expect(host.opened).toMatchObject([{ kind: 'send', carries: ['stop_hook_reason', 'guard_prompt'] }]);
  });

  it('[B3] carries the tool results of a guard stream, without hooks', async () => {
    const guard = armedGuard();
    await settle(guard, new RecordingHost());
    const host = new RecordingHost();
    const { signal } = new AbortController();
    const outcome = await settleStop(guard, host, { signal, after: 'tools_finished' });
    expect(outcome).toMatchObject({
      kind: 'opened',
      request: { carries: ['tool_results', 'guard_prompt'], attempt: 2 },
    });
    expect(host.asked).toEqual(['look', 'prepare', 'look', 'open']);
  });

  it("[B3] leaves the tool results of the host's own loop to the host", async () => {
    const host = new RecordingHost();
    const { signal } = new AbortController();
    expect(await settleStop(armedGuard(), host, { signal, after: 'tools_finished' })).toMatchObject({
      kind: 'opened',
      request: { kind: 'continue', carries: ['tool_results'] },
    });
    expect(host.asked).toEqual(['open']);
  });

  it('[B8] [F01] [F32] happens twice; then exhaustion is shown once', async () => {
    const guard = armedGuard();
    const host = new RecordingHost();
    for (const kind of ['opened', 'opened', 'stopped', 'ignored']) expect((await settle(guard, host)).kind).toBe(kind);
    expect(host.opened).toHaveLength(2);
    expect(host.notices.map(({ about, attempt }) => `${about} ${attempt}`)).toEqual([
      'continuation 1',
      'continuation 2',
      'exhaustion 2',
    ]);
  });

  it('[N5] does not wait for its notice', async () => {
    const host = new RecordingHost({ notify: () => new Promise(() => undefined) });
    expect((await settle(armedGuard(), host)).kind).toBe('opened');
  });

  it.each<[string, () => void | Promise<void>]>([
    [
      'throws',
      () => {
        throw new Error('no terminal');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no terminal'))],
  ])('[N5] is not changed by a notice that %s', async (_, notify) => {
    const guard = armedGuard();
    const host = new RecordingHost({ notify });
    const outcome = await settle(guard, host);
    expect(outcome.kind).toBe('opened');
    expect(guard.state).toMatchObject({ chain: { spent: 1 } });
    await settle(guard, host);
    const last = await settle(guard, host);
    expect(last).toMatchObject({ kind: 'stopped', reason: 'exhausted' });
    expect(outcome.failures).toEqual([new Error('no terminal')]);
  });
});

describe('a stop that somebody else continues or ends', () => {
  it("[O1] [F27] a message at any look goes on in the host's loop", async () => {
    for (const at of [1, 2, 3]) {
      let looks = 0;
      const host = new RecordingHost({
        look: () => Promise.resolve({ ...NOTHING, userMessages: (looks += 1) === at }),
      });
      const guard = armedGuard();
      expect(await settle(guard, host)).toMatchObject({
        kind: 'opened',
        request: { kind: 'continue', carries: ['user_messages'] },
      });
      expect(host.opened).toHaveLength(1);
      expect(host.notices).toEqual([]);
      expect(guard.state).toMatchObject({ chain: { spent: 0 }, turn: { stop: { at: 'working' } } });
    }
  });

  it('[O2] [F21] a queued prompt at any look ends the request', async () => {
    for (const at of [1, 2, 3]) {
      let looks = 0;
      const host = new RecordingHost({
        look: () => Promise.resolve({ ...NOTHING, queuedPrompt: (looks += 1) === at }),
      });
      expect(await settle(armedGuard(), host)).toEqual({ kind: 'stopped', reason: 'queued_prompt', failures: [] });
      expect(host.opened).toEqual([]);
    }
  });

  it('[O4] [F18] background defers, and nothing is shown or spent', async () => {
    const guard = armedGuard();
    const background = { tasks: [{ kind: 'shell', id: 'build', state: 'queued' }], notifications: [] } as const;
    const host = new RecordingHost({ look: () => Promise.resolve({ ...NOTHING, background }) });
    expect(await settle(guard, host)).toEqual({ kind: 'stopped', reason: 'background', failures: [] });
    expect([host.opened, host.notices]).toEqual([[], []]);
    expect(guard.state).toMatchObject({ chain: { status: 'armed', spent: 0 } });
  });

  it('[O0] an inactive chain asks the hooks only', async () => {
    const host = new RecordingHost();
    expect(await settle(guardInTurn(), host)).toEqual({ kind: 'stopped', reason: 'nothing_unfinished', failures: [] });
    expect(host.asked).toEqual(['run_stop_hooks']);
  });

  it.each([
    [false, { kind: 'stopped', reason: 'off' }],
    [true, { kind: 'opened', request: { kind: 'continue', carries: ['stop_hook_reason'] } }],
  ])('[G3] with the guard off the hooks decide (blocked: %s)', async (blocked, outcome) => {
    const host = new RecordingHost({ runStopHooks: () => Promise.resolve(blocked) });
    expect(await settle(guardInTurn({}), host)).toMatchObject(outcome);
    expect(host.notices).toEqual([]);
  });

  it('[O3] an automatic turn asks no hooks', async () => {
    const guard = new DaemonTodoStopGuard(ON);
    guard.tell({ type: 'automatic_turn_requested', turn: 'one', source: null, background: NO_BACKGROUND });
    guard.observeTodoResult(observed());
    const host = new RecordingHost();
    expect((await settle(guard, host)).kind).toBe('opened');
    expect(host.asked).toEqual(['look', 'prepare', 'look', 'open']);
  });

  it('[B5] a closing send has no prompt', async () => {
    const guard = armedGuard();
    await settle(guard, new RecordingHost());
    guard.observeTodoResult(observed({ callId: 'all done', result: todoList(0) }));
    const host = new RecordingHost();
    await settleStop(guard, host, { signal: new AbortController().signal, after: 'tools_finished' });
    expect(host.opened).toEqual([{ kind: 'send', carries: ['tool_results'], attempt: 2, maxAttempts: 2 }]);
    expect(host.notices).toMatchObject([{ attempt: 2, unfinishedCount: 0 }]);
  });
});

describe('one stop', () => {
  it('[O7] [F24] signalled four times at once opens one stream', async () => {
    const guard = armedGuard();
    const host = new RecordingHost();
    const outcomes = await Promise.all([
      settle(guard, host),
      settle(guard, host),
      settle(guard, host),
      settle(guard, host),
    ]);
    expect(outcomes.map(({ kind }) => kind)).toEqual(['opened', 'ignored', 'ignored', 'ignored']);
    expect(host.opened).toHaveLength(1);
  });

  it('[T6] of a turn that is not the live one is ignored', async () => {
    const host = Object.assign(new RecordingHost(), { turn: 'another' });
    expect(await settle(armedGuard(), host)).toEqual({ kind: 'ignored', reason: 'stale_turn', failures: [] });
    expect(host.asked).toEqual([]);
  });

  it('[T6] [F36] of a turn without an id is a TypeError, and the guard stays as it was', async () => {
    const guard = armedGuard();
    const before = guard.state;
    await expect(settle(guard, Object.assign(new RecordingHost(), { turn: '' }))).rejects.toThrow(TypeError);
    expect(guard.state).toBe(before);
  });

  it.each([{ kind: 'admit', chain: 'new' }, { kind: 'hold', reason: 'retry' }, { kind: 'noted' }] as const)(
    'answered with $kind is a programming error',
    async (decision) => {
      await expect(settle({ tell: () => decision }, new RecordingHost())).rejects.toThrow(
        new RegExp(`"${decision.kind}".*pass a guard`),
      );
    },
  );

  it('[O6] awaits nothing between the last look and the submission', async () => {
    const guard = new RecordingGuard(armedGuard());
    const order: string[] = [];
    const tell = (fact: Parameters<typeof guard.tell>[0]): ReturnType<typeof guard.tell> => {
      const decision = guard.tell(fact);
      order.push(decision.kind);
      if (decision.kind === 'send') queueMicrotask(() => order.push('somebody else'));
      return decision;
    };
    const host = new RecordingHost({
      open: () => {
        order.push('open');
        return Promise.resolve();
      },
    });
    await settle({ tell }, host);
    expect(order).toEqual([
      'look',
      'run_stop_hooks',
      'look',
      'prepare',
      'look',
      'send',
      'open',
      'somebody else',
      'noted',
    ]);
  });
});
