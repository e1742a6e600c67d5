import { describe, expect, it } from 'vitest';
import { DaemonTodoStopGuard } from 'todo-stop-guard';
import type { BackgroundSnapshot, GuardFact, BackgroundTask } from 'todo-stop-guard';
import { armedGuard, guardInTurn, NO_BACKGROUND, observed, ON } from './session.ts';

function running(...ids: string[]): BackgroundSnapshot {
  const tasks = ids.map((id): BackgroundTask => ({ kind: 'agent', id, state: 'running' }));
  return { tasks, notifications: [] };
}

function settle(guard: DaemonTodoStopGuard, background = NO_BACKGROUND): unknown {
  return guard.tell({ type: 'turn_settled', turn: 'one', background });
}

describe('the baseline', () => {
  it('[K1] is taken when a new chain is admitted: what it holds is neither related nor relevant', () => {
    const guard = new DaemonTodoStopGuard(ON);
    guard.tell({ type: 'prompt_started', turn: 'one', origin: 'user', background: running('old') });
    guard.observeTodoResult(observed());
    expect(guard.isRelated({ kind: 'agent', id: 'old' })).toBe(false);
    expect(guard.isRelated({ kind: 'agent', id: 'new' })).toBe(true);
    expect(settle(guard, running('old'))).toEqual({ kind: 'noted', released: true });
    expect(guard.holds(false)).toBeNull();
  });

  it('[K1] is not taken again by a turn that keeps the chain', () => {
    const guard = armedGuard();
    settle(guard, running('mine'));
    guard.tell({
      type: 'automatic_turn_requested',
      turn: 'two',
      source: { kind: 'agent', id: 'mine' },
      background: running('mine', 'more'),
    });
    expect(guard.isRelated({ kind: 'agent', id: 'more' })).toBe(true);
    guard.tell({ type: 'turn_settled', turn: 'two', background: NO_BACKGROUND });
    guard.tell({ type: 'prompt_started', turn: 'three', origin: 'retry', background: running('more') });
    expect(guard.isRelated({ kind: 'agent', id: 'more' })).toBe(true);
  });

  it('[K1] [C1] is fresh for the next prompt of the user', () => {
    const guard = armedGuard();
    settle(guard, running('mine'));
    guard.tell({ type: 'prompt_started', turn: 'two', origin: 'user', background: running('mine') });
    expect(guard.isRelated({ kind: 'agent', id: 'mine' })).toBe(false);
  });

  it('[K1] [C5] is fresh for an independent automatic turn', () => {
    const guard = armedGuard();
    settle(guard);
    expect(
      guard.tell({ type: 'automatic_turn_requested', turn: 'cron', source: null, background: running('mine') }),
    ).toEqual({
      kind: 'admit',
      chain: 'new',
    });
    expect(guard.isRelated({ kind: 'agent', id: 'mine' })).toBe(false);
  });

  it('[K1] is not taken by a turn that is held or ignored', () => {
    const guard = armedGuard();
    expect(
      guard.tell({ type: 'automatic_turn_requested', turn: 'cron', source: null, background: running('mine') }),
    ).toEqual({
      kind: 'hold',
      reason: 'turn_live',
    });
    expect(guard.tell({ type: 'prompt_started', turn: 'one', origin: 'user', background: running('mine') }).kind).toBe(
      'ignored',
    );
    expect(guard.isRelated({ kind: 'agent', id: 'mine' })).toBe(true);
  });

  it('[C6] [C4] is revoked by the end of a chain: nothing is related or relevant until the next one', () => {
    const guard = armedGuard();
    settle(guard, running('mine'));
    expect(guard.holds(false)).toBe('background');
    expect(guard.tell({ type: 'chain_ended', reason: 'rewound' })).toEqual({ kind: 'noted', released: true });
    expect(guard.isRelated({ kind: 'agent', id: 'mine' })).toBe(false);
    guard.tell({
      type: 'automatic_turn_requested',
      turn: 'two',
      source: { kind: 'agent', id: 'mine' },
      background: NO_BACKGROUND,
    });
    expect(guard.state).toMatchObject({ chain: { status: 'idle' } });
    expect(guard.isRelated({ kind: 'agent', id: 'next' })).toBe(true);
  });

  it('[C6] [C4] is revoked by a cancel while no turn runs, too', () => {
    const guard = armedGuard();
    settle(guard, running('mine'));
    guard.tell({ type: 'chain_ended', reason: 'cancelled' });
    const { kind } = guard.tell({
      type: 'automatic_turn_requested',
      turn: 'two',
      source: { kind: 'agent', id: 'mine' },
      background: NO_BACKGROUND,
    });
    expect(kind).toBe('admit');
    expect(guard.state).toMatchObject({ chain: { status: 'idle', spent: 0 } });
  });

  it('[C4] [H1] outlives a cancel of the turn: a related result still belongs to the suspended chain', () => {
    const guard = armedGuard();
    guard.tell({ type: 'hard_stopped', turn: 'one', reason: 'cancelled' });
    settle(guard);
    expect(guard.isRelated({ kind: 'agent', id: 'mine' })).toBe(true);
    expect(
      guard.tell({
        type: 'automatic_turn_requested',
        turn: 'two',
        source: { kind: 'agent', id: 'mine' },
        background: NO_BACKGROUND,
      }),
    ).toEqual({ kind: 'admit', chain: 'kept' });
    expect(guard.state).toMatchObject({ chain: { status: 'suspended', reason: 'cancelled' } });
  });

  it('[K5] is kept while the guard is off: only the relatedness is', () => {
    const guard = new DaemonTodoStopGuard();
    const before = guard.state;
    guard.tell({ type: 'prompt_started', turn: 'one', origin: 'user', background: running('old') });
    expect(guard.isRelated({ kind: 'agent', id: 'old' })).toBe(false);
    expect(guard.isRelated({ kind: 'agent', id: 'new' })).toBe(true);
    expect(
      guard.tell({
        type: 'automatic_turn_requested',
        turn: 'two',
        source: { kind: 'agent', id: 'new' },
        background: NO_BACKGROUND,
      }),
    ).toEqual({ kind: 'admit', chain: 'kept' });
    expect(
      guard.tell({ type: 'automatic_turn_requested', turn: 'three', source: null, background: running('new') }),
    ).toEqual({
      kind: 'admit',
      chain: 'new',
    });
    expect(guard.isRelated({ kind: 'agent', id: 'new' })).toBe(false);
    expect(guard.state).toBe(before);
    expect([guard.holds(true), guard.holds(false), guard.suppressesFollowUps]).toEqual([null, null, false]);
  });

  it('[K5] [C6] while the guard is off, a retry after trust was revoked is a fresh boundary', () => {
    const guard = new DaemonTodoStopGuard();
    guard.tell({ type: 'prompt_started', turn: 'one', origin: 'user', background: NO_BACKGROUND });
    guard.tell({ type: 'chain_ended', reason: 'rewound' });
    expect(guard.isRelated({ kind: 'agent', id: 'new' })).toBe(false);
    guard.tell({ type: 'prompt_started', turn: 'two', origin: 'retry', background: running('old') });
    expect(guard.isRelated({ kind: 'agent', id: 'old' })).toBe(false);
    expect(guard.isRelated({ kind: 'agent', id: 'new' })).toBe(true);
  });

  it.each([undefined, null, { tasks: [], notifications: null }])(
    '[K1] a boundary without a snapshot (%j) is a mistake that changes nothing',
    (background) => {
      const guard = new DaemonTodoStopGuard(ON);
      const before = guard.state;
      const fact = { type: 'prompt_started', turn: 'one', origin: 'user', background } as unknown as GuardFact;
      expect(() => guard.tell(fact)).toThrow(
        new TypeError('background must be { tasks, notifications }: pass an empty list where there is nothing.'),
      );
      expect(guard.state).toBe(before);
      expect(guard.isRelated({ kind: 'agent', id: 'new' })).toBe(false);
    },
  );

  it('[K1] before any chain holds everything: nothing is related', () => {
    expect(new DaemonTodoStopGuard(ON).isRelated({ kind: 'agent', id: 'any' })).toBe(false);
  });
});

describe('background between the facts', () => {
  it('[Q2] [O4] that has ended releases the chain that waits for it', () => {
    const guard = armedGuard();
    settle(guard, running('mine'));
    const waiting = guard.state;
    expect(guard.observeBackground(running('mine'))).toEqual({ kind: 'ignored', reason: 'no_effect' });
    expect(guard.state).toBe(waiting);
    expect(guard.observeBackground({ tasks: [], notifications: [{ kind: 'agent', id: 'mine' }] }).kind).toBe('ignored');
    expect(guard.observeBackground(NO_BACKGROUND)).toEqual({ kind: 'noted', released: true });
    expect(guard.state).toMatchObject({ chain: { status: 'armed' } });
  });

  it('[Q2] is nothing to a guard that waits for none', () => {
    const guard = armedGuard();
    const before = guard.state;
    expect(guard.observeBackground(NO_BACKGROUND)).toEqual({ kind: 'ignored', reason: 'no_effect' });
    expect(guard.state).toBe(before);
  });

  it('[K3] a cron fire is never related', () => {
    const guard = armedGuard();
    settle(guard, running('mine'));
    expect(
      guard.tell({ type: 'automatic_turn_requested', turn: 'cron', source: null, background: running('mine') }),
    ).toEqual({
      kind: 'hold',
      reason: 'background',
    });
  });

  it('[O4] makes a look defer only when it belongs to the chain', () => {
    for (const [background, kind] of [
      [running('mine'), 'stop'],
      [running('old'), 'prepare'],
    ] as const) {
      const guard = new DaemonTodoStopGuard(ON);
      guard.tell({ type: 'prompt_started', turn: 'one', origin: 'user', background: running('old') });
      guard.observeTodoResult(observed());
      guard.tell({ type: 'model_stopped', turn: 'one' });
      const look = { type: 'looked', turn: 'one', userMessages: false, queuedPrompt: false } as const;
      guard.tell({ ...look, background: NO_BACKGROUND });
      guard.tell({ type: 'stop_hooks_finished', turn: 'one', blocked: false });
      expect(guard.tell({ ...look, background }).kind).toBe(kind);
    }
  });
});

describe('the questions of a host', () => {
  it('[Q3] follow-ups are suppressed while the chain is resumable or a queued prompt has priority', () => {
    const waiting = armedGuard();
    settle(waiting, running('mine'));
    const failed = armedGuard();
    failed.tell({ type: 'turn_failed', turn: 'one' });
    settle(failed);
    const queued = armedGuard();
    queued.tell({ type: 'model_stopped', turn: 'one' });
    queued.tell({ type: 'looked', turn: 'one', userMessages: false, queuedPrompt: true, background: NO_BACKGROUND });
    settle(queued);
    const done = armedGuard();
    settle(done);
    expect([waiting, failed, queued, done].map((guard) => guard.suppressesFollowUps)).toEqual([
      true,
      true,
      true,
      false,
    ]);
    expect([waiting, failed, queued, done].map((guard) => guard.holds(true))).toEqual([
      null,
      null,
      'queued_prompt',
      null,
    ]);
    expect([waiting, failed, queued, done].map((guard) => guard.holds(false))).toEqual([
      'background',
      'retry',
      'queued_prompt',
      null,
    ]);
  });

  it('[C7] asking changes nothing', () => {
    const guard = armedGuard();
    const before = guard.state;
    guard.holds(true);
    guard.holds(false);
    guard.isRelated({ kind: 'shell', id: 'x' });
    expect([guard.suppressesFollowUps, guard.state]).toEqual([true, before]);
    expect(guard.state).toBe(before);
  });

  it('[T6] a programming error throws what to do, and leaves the guard as it was', () => {
    const guard = armedGuard();
    const before = guard.state;
    for (const mistake of [
      { type: 'nothing_of_the_kind' },
      { type: 'model_stopped', turn: '' },
      { type: 'prompt_started', turn: '', origin: 'user', background: NO_BACKGROUND },
      { type: 'prompt_started', turn: 'two', origin: 'nobody', background: NO_BACKGROUND },
      { type: 'automatic_turn_requested', turn: '', source: null, background: NO_BACKGROUND },
      { type: 'chain_ended', reason: 'boredom' },
    ]) {
      // @ts-expect-error -- none of them is a fact
      expect(() => guard.tell(mistake)).toThrow(TypeError);
      expect(guard.state).toBe(before);
      expect(guard.isRelated({ kind: 'agent', id: 'mine' })).toBe(true);
    }
  });

  it('[C9] a new guard for the same session knows nothing of the old one', () => {
    const old = armedGuard();
    expect(old.state).toMatchObject({ chain: { status: 'armed' } });
    const restarted = new DaemonTodoStopGuard(ON);
    expect(
      restarted.tell({ type: 'prompt_started', turn: 'two', origin: 'continue', background: NO_BACKGROUND }),
    ).toEqual({
      kind: 'admit',
      chain: 'new',
    });
    expect(restarted.state).toMatchObject({ chain: { status: 'idle', spent: 0 } });
  });

  it('[C1] two guards share nothing', () => {
    const one = armedGuard();
    const two = guardInTurn();
    expect(two.state).toMatchObject({ chain: { status: 'idle' } });
    expect(two.observeTodoResult(observed({ callId: 'armed' }))).toEqual({ kind: 'noted' });
    expect(one.state).toMatchObject({ chain: { status: 'armed' } });
  });
});
