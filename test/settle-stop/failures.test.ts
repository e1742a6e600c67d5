import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { settleStop } from 'todo-stop-guard';
import type { GuardFact, StopLook } from 'todo-stop-guard';
import { armedGuard, NO_BACKGROUND } from '../guard/session.ts';
import { isSettling, NOTHING, RecordingGuard, RecordingHost, settle, worksInTheNextTurn } from './host.ts';
import type { Callbacks } from './host.ts';

const broken = new Error('broken');

function throwing(): never {
  throw broken;
}

const FAILING: readonly (readonly [way: string, fail: () => Promise<never>])[] = [
  ['throws', throwing],
  ['rejects', () => Promise.reject(broken)],
];

describe.each(FAILING)('a callback that %s', (_, fail) => {
  it('[O8] look: the guard sits the stop out, and the error reaches the caller', async () => {
    const guard = armedGuard();
    const host = new RecordingHost({ look: fail });
    expect(await settle(guard, host)).toEqual({ kind: 'stopped', reason: 'look_failed', failures: [broken] });
    expect(host.asked).toEqual(['look', 'run_stop_hooks']);
    expect(guard.state).toMatchObject({ chain: { status: 'armed', spent: 0 } });
    expect(await worksInTheNextTurn(guard)).toBe(true);
  });

  it('[O8] look: a hook that blocks goes ahead', async () => {
    const host = new RecordingHost({ look: fail, runStopHooks: () => Promise.resolve(true) });
    expect(await settle(armedGuard(), host)).toEqual({
      kind: 'opened',
      request: { kind: 'continue', carries: ['stop_hook_reason'] },
      failures: [broken],
    });
  });

  it('[O3] stop hooks: they do not block', async () => {
    const guard = armedGuard();
    const host = new RecordingHost({ runStopHooks: fail });
    expect(await settle(guard, host)).toMatchObject({
      kind: 'opened',
      request: { carries: ['guard_prompt'] },
      failures: [broken],
    });
  });

  it('[O9] preparation: the chain is suspended', async () => {
    const guard = armedGuard();
    const host = new RecordingHost({ prepare: fail });
    expect(await settle(guard, host)).toEqual({ kind: 'stopped', reason: 'prepare_failed', failures: [broken] });
    expect(guard.state).toMatchObject({ chain: { status: 'suspended', reason: 'prepare_failed' } });
    expect(await worksInTheNextTurn(guard)).toBe(true);
  });

  it('[O9] preparation: a coalesced hook goes on alone', async () => {
    const host = new RecordingHost({ prepare: fail, runStopHooks: () => Promise.resolve(true) });
    expect(await settle(armedGuard(), host)).toMatchObject({
      kind: 'opened',
      request: { kind: 'continue', carries: ['stop_hook_reason'] },
    });
  });

  it('[H2] [B2] [F29] open: the guard is told before the caller gets the error, and nothing is spent', async () => {
    const guard = armedGuard();
    const told = new RecordingGuard(guard);
    await expect(settle(told, new RecordingHost({ open: fail }))).rejects.toBe(broken);
    expect(told.facts.at(-1)).toEqual({ type: 'turn_failed', turn: 'one' });
    expect(guard.state).toMatchObject({ chain: { status: 'paused', until: 'retry', spent: 0 } });
    expect(await worksInTheNextTurn(guard)).toBe(true);
  });

  it('[H1] open: a limit that the host has told stays the reason', async () => {
    const guard = armedGuard();
    const host = new RecordingHost({
      open: () => {
        guard.tell({ type: 'hard_stopped', turn: 'one', reason: 'token_limit' });
        return fail();
      },
    });
    await expect(settle(guard, host)).rejects.toBe(broken);
    expect(guard.state).toMatchObject({ chain: { status: 'suspended', reason: 'token_limit' } });
  });
});

describe('an answer that is none', () => {
  it.each([
    ['nothing', undefined],
    ['null', null],
    ['no background', { userMessages: false, queuedPrompt: false }],
    ['a background without lists', { ...NOTHING, background: {} }],
  ])('[O8] to a look (%s) counts as a failed look', async (_, answer) => {
    const guard = armedGuard();
    const host = new RecordingHost();
    // @ts-expect-error -- no host of ours answers so
    host.look = () => Promise.resolve(answer);
    expect(await settle(guard, host)).toMatchObject({
      kind: 'stopped',
      reason: 'look_failed',
      failures: [expect.any(TypeError)],
    });
    expect(guard.state).toMatchObject({ chain: { status: 'armed', spent: 0 } });
  });

  it.each([undefined, 'no', { blocked: false }])('[O3] to the hooks (%j) counts as no block', async (answer) => {
    const host = new RecordingHost();
    // @ts-expect-error -- no host of ours answers so
    host.runStopHooks = () => Promise.resolve(answer);
    expect(await settle(armedGuard(), host)).toMatchObject({
      kind: 'opened',
      request: { carries: ['guard_prompt'] },
      failures: [new TypeError('runStopHooks must answer with true or false.')],
    });
  });
});

/** The callbacks in the order in which a stop with a blocking hook asks them; `at` counts the calls of one kind. */
const MOMENTS: readonly (readonly [
  name: string,
  callback: 'look' | 'runStopHooks' | 'prepare' | 'open',
  at: number,
])[] = [
  ['the first look', 'look', 1],
  ['the hooks', 'runStopHooks', 1],
  ['the second look', 'look', 2],
  ['the preparation', 'prepare', 1],
  ['the last look', 'look', 3],
  ['the opening', 'open', 1],
];

/** A host that comes to one moment, does something there, and hangs unless that thing returns or throws. */
function hostAt(
  callback: 'look' | 'runStopHooks' | 'prepare' | 'open',
  at: number,
  act: () => Promise<void>,
): RecordingHost {
  let calls = 0;
  const arrive = (): Promise<void> => ((calls += 1) === at ? act() : Promise.resolve());
  const callbacks: Record<typeof callback, Callbacks> = {
    look: { look: () => arrive().then(() => NOTHING) },
    runStopHooks: { runStopHooks: () => arrive().then(() => false) },
    prepare: { prepare: arrive },
    open: { open: arrive },
  };
  return new RecordingHost(callbacks[callback]);
}

const ENDINGS: readonly (readonly [name: string, end: () => Promise<void>])[] = [
  ['answers all the same', () => Promise.resolve()],
  ['rejects', () => Promise.reject(broken)],
  ['throws', throwing],
  ['never answers', () => new Promise(() => undefined)],
];

describe.each(MOMENTS)('a cancel during %s', (_, callback, at) => {
  it.each(ENDINGS)('[H1] [B2] [F07] suspends at once when the callback then %s', async (__, end) => {
    const guard = armedGuard();
    const controller = new AbortController();
    let toldAtOnce = false;
    const host = hostAt(callback, at, () => {
      controller.abort();
      toldAtOnce = !guard.state.off && guard.state.chain.status === 'suspended';
      return end();
    });
    expect(await settleStop(guard, host, { signal: controller.signal })).toMatchObject({
      kind: 'stopped',
      reason: 'cancelled',
    });
    expect(toldAtOnce).toBe(true);
    expect(guard.state).toMatchObject({
      chain: { status: 'suspended', reason: 'cancelled' },
      turn: { stop: { at: 'stopped' } },
    });
    expect(host.notices).toEqual([]);
    expect(host.asked.length).toBe(MOMENTS.findIndex(([, name, n]) => name === callback && n === at) + 1);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    expect(await worksInTheNextTurn(guard)).toBe(true);
  });

  it('[H1] from outside, while the callback hangs, settles the stop', async () => {
    const guard = armedGuard();
    const controller = new AbortController();
    let arrive = (): void => undefined;
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const host = hostAt(callback, at, () => {
      arrive();
      return new Promise(() => undefined);
    });
    const settled = settleStop(guard, host, { signal: controller.signal });
    await arrived;
    controller.abort();
    expect(await settled).toMatchObject({ kind: 'stopped', reason: 'cancelled' });
    expect(await worksInTheNextTurn(guard)).toBe(true);
  });
});

describe('a cancel', () => {
  it('[H1] before the stop asks nothing', async () => {
    const guard = armedGuard();
    const host = new RecordingHost();
    expect(await settleStop(guard, host, { signal: AbortSignal.abort() })).toEqual({
      kind: 'stopped',
      reason: 'cancelled',
      failures: [],
    });
    expect(host.asked).toEqual([]);
    expect(guard.state).toMatchObject({ chain: { status: 'suspended', reason: 'cancelled' } });
    expect(await worksInTheNextTurn(guard)).toBe(true);
  });

  it('[B2] [H3] closes a stream that opens after it', async () => {
    const guard = armedGuard();
    const controller = new AbortController();
    let opens = (): void => undefined;
    const host = new RecordingHost({
      open: () => {
        controller.abort();
        return new Promise((resolve) => {
          opens = resolve;
        });
      },
    });
    await settleStop(guard, host, { signal: controller.signal });
    expect(host.closed).toBe(0);
    opens();
    await new Promise(setImmediate);
    expect(host.closed).toBe(1);
    expect(guard.state).toMatchObject({ chain: { status: 'suspended' } });
  });

  it('closes no stream that never opens, and hears no late error', async () => {
    const guard = armedGuard();
    const controller = new AbortController();
    const host = new RecordingHost({
      open: () => {
        controller.abort();
        return Promise.reject(broken);
      },
      close: throwing,
    });
    await settleStop(guard, host, { signal: controller.signal });
    await new Promise(setImmediate);
    expect(host.closed).toBe(0);
  });

  it('survives a stream that cannot be closed', async () => {
    const controller = new AbortController();
    const host = new RecordingHost({
      open: () => {
        controller.abort();
        return Promise.resolve();
      },
      close: throwing,
    });
    expect((await settleStop(armedGuard(), host, { signal: controller.signal })).kind).toBe('stopped');
    await new Promise(setImmediate);
    expect(host.closed).toBe(1);
  });

  it("after the stop is somebody else's: no listener is left, whatever happened", async () => {
    const { signal } = new AbortController();
    const hosts = [new RecordingHost(), new RecordingHost({ look: throwing }), new RecordingHost({ open: throwing })];
    for (const host of hosts) {
      await settleStop(armedGuard(), host, { signal }).catch(() => undefined);
      expect(getEventListeners(signal, 'abort')).toEqual([]);
    }
    await expect(
      settleStop(armedGuard(), Object.assign(new RecordingHost(), { turn: '' }), { signal }),
    ).rejects.toThrow();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

describe('what happens to the session during a callback', () => {
  it.each<[string, GuardFact]>([
    ['[C6] trust is revoked', { type: 'chain_ended', reason: 'rewound' }],
    ['[C8] plan mode is entered', { type: 'approval_mode_changed', mode: 'plan' }],
    ["[B2] the user's message was sent", { type: 'user_message_sent', turn: 'one' }],
    [
      '[C1] another prompt supersedes the turn',
      { type: 'prompt_started', turn: 'two', origin: 'user', background: NO_BACKGROUND },
    ],
  ])('%s while the stream opens: the stream is closed, and nothing is shown', async (_, fact) => {
    const guard = armedGuard();
    const host = new RecordingHost({
      open: () => {
        guard.tell(fact);
        return Promise.resolve();
      },
    });
    expect((await settle(guard, host)).kind).toBe('overtaken');
    expect(host.closed).toBe(1);
    expect(host.notices).toEqual([]);
    expect(isSettling(guard)).toBe(false);
  });

  it('[H1] [F33] a hook at its cap: the stop is settled by what the host told, and nothing is asked any more', async () => {
    const guard = armedGuard();
    const host = new RecordingHost({
      runStopHooks: () => {
        guard.tell({ type: 'hard_stopped', turn: 'one', reason: 'stop_hook_cap' });
        return Promise.resolve(false);
      },
    });
    expect(await settle(guard, host)).toEqual({ kind: 'overtaken', failures: [] });
    expect(host.asked).toEqual(['look', 'run_stop_hooks']);
    expect(guard.state).toMatchObject({ chain: { status: 'suspended', reason: 'stop_hook_cap' } });
  });

  it('[O6] a stream that cannot even be closed is reported, and changes nothing', async () => {
    const guard = armedGuard();
    const host = new RecordingHost({
      open: () => {
        guard.tell({ type: 'chain_ended', reason: 'rewound' });
        return Promise.resolve();
      },
      close: () => {
        throw broken;
      },
    });
    expect(await settle(guard, host)).toEqual({ kind: 'overtaken', failures: [broken] });
  });

  it('[C1] a superseded turn asks nothing any more', async () => {
    const guard = armedGuard();
    const host = new RecordingHost({
      prepare: () => {
        guard.tell({ type: 'prompt_started', turn: 'two', origin: 'user', background: NO_BACKGROUND });
        return Promise.resolve();
      },
    });
    expect(await settle(guard, host)).toMatchObject({ kind: 'overtaken' });
    expect(host.opened).toEqual([]);
  });
});

describe('a look that answers nonsense', () => {
  it.each([
    ['words for answers', { userMessages: 'maybe', queuedPrompt: 0, background: NO_BACKGROUND }],
    ['no answers', { background: NO_BACKGROUND }],
    ['one answer of two', { userMessages: false, background: NO_BACKGROUND }],
  ])('[O8] %s: the guard sits the stop out', async (_, nonsense) => {
    const guard = armedGuard();
    const host = new RecordingHost({ look: () => Promise.resolve(nonsense as unknown as StopLook) });
    const outcome = await settle(guard, host);
    expect(outcome).toMatchObject({ kind: 'stopped', reason: 'look_failed', failures: [expect.any(TypeError)] });
    expect(host.opened).toEqual([]);
    expect(guard.state).toMatchObject({ chain: { status: 'armed', spent: 0 } });
  });
});

describe('a cancel that came before the stop', () => {
  it('[O7] is told, nothing is asked, and a later stop of that turn is not stuck', async () => {
    const told = new RecordingGuard(armedGuard());
    const host = new RecordingHost();
    expect(await settleStop(told, host, { signal: AbortSignal.abort() })).toMatchObject({
      kind: 'stopped',
      reason: 'cancelled',
    });
    expect(told.facts.map(({ type }) => type)).toEqual(['hard_stopped']);
    expect(host.asked).toEqual([]);
    expect(await settle(told, host)).toMatchObject({ kind: 'stopped', reason: 'suspended' });
  });
});
