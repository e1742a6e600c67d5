import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { settleStop } from 'todo-stop-guard';
import type { StopOutcome } from 'todo-stop-guard';
import { armedGuard, NO_BACKGROUND, ON } from '../guard/session.ts';
import { isSettling, NOTHING, RecordingHost, worksInTheNextTurn } from './host.ts';

/** What one call of a host does before it answers. */
const behaviour = fc.record({
  cancels: fc.boolean(),
  ends: fc.constantFrom(
    'answers',
    'answers',
    'answers',
    'answers later',
    'throws',
    'rejects',
    'hangs until the cancel',
    'hangs',
  ),
  tells: fc.constantFrom('nothing', 'nothing', 'nothing', 'rewound', 'plan', 'list completed', 'queued prompt dropped'),
  userMessages: fc.boolean(),
  queuedPrompt: fc.boolean(),
  background: fc.boolean(),
  blocked: fc.boolean(),
});
type Behaviour = typeof behaviour extends fc.Arbitrary<infer Value> ? Value : never;

it('[H1] [O7] [O8] [O9] [B2] [N5] whatever a host does, one stream opens at most, and no later stop is stuck', async () => {
  const scripts = fc.record({
    calls: fc.array(behaviour, { minLength: 7, maxLength: 7 }),
    cancelledBefore: fc.boolean(),
    maxAttempts: fc.integer({ min: 1, max: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(scripts, async ({ calls, cancelledBefore, maxAttempts }) => {
      const guard = armedGuard({ ...ON, maxAttempts });
      const controller = new AbortController();
      const { signal } = controller;
      const script = [...calls];
      // A callback that hangs is cancelled by the test, as a user would.
      const act = async (): Promise<Behaviour> => {
        const current = script.shift();
        if (current === undefined) throw new Error('The host was asked too often.');
        if (current.tells === 'rewound') guard.tell({ type: 'chain_ended', reason: 'rewound' });
        if (current.tells === 'plan') guard.tell({ type: 'approval_mode_changed', mode: 'plan' });
        if (current.tells === 'list completed') guard.tell({ type: 'todos_written', turn: 'one', unfinishedCount: 0 });
        if (current.tells === 'queued prompt dropped') guard.tell({ type: 'queued_prompt_dropped' });
        if (current.cancels) controller.abort();
        if (current.ends === 'throws' || current.ends === 'rejects') throw new Error('broken');
        if (current.ends === 'answers later') await new Promise(setImmediate);
        if (current.ends === 'hangs' || current.ends === 'hangs until the cancel') {
          const aborted = new Promise<void>((resolve) => {
            if (signal.aborted) resolve();
            else
              signal.addEventListener(
                'abort',
                () => {
                  resolve();
                },
                { once: true },
              );
          });
          setImmediate(() => {
            controller.abort();
          });
          await aborted;
          if (current.ends === 'hangs') await new Promise(() => undefined);
        }
        return current;
      };
      const task = { kind: 'shell', id: 'build', state: 'running' } as const;
      const host = new RecordingHost({
        look: async () => {
          const { userMessages, queuedPrompt, background } = await act();
          return {
            ...NOTHING,
            userMessages,
            queuedPrompt,
            background: background ? { tasks: [task], notifications: [] } : NO_BACKGROUND,
          };
        },
        runStopHooks: async () => (await act()).blocked,
        prepare: async () => {
          await act();
        },
        open: async () => {
          await act();
        },
        notify: async () => {
          await act();
        },
        close: () => {
          throw new Error('cannot be closed');
        },
      });
      if (cancelledBefore) controller.abort();
      const outcome = await settleStop(guard, host, { signal }).catch((error: unknown) => error);

      expect(host.opened.length).toBeLessThanOrEqual(1);
      if (isOutcome(outcome, 'opened')) expect(host.opened).toEqual([outcome.request]);
      const spent = guard.state.off || !('spent' in guard.state.chain) ? 0 : guard.state.chain.spent;
      expect(spent).toBe(isOutcome(outcome, 'opened') && outcome.request.kind === 'send' ? 1 : 0);
      if (signal.aborted && !isOutcome(outcome, 'opened')) {
        expect(guard.state).toMatchObject({ chain: { status: 'suspended' } });
      }
      expect((await worksInTheNextTurn(guard)) || isInPlan(guard)).toBe(true);
      await new Promise(setImmediate);
      expect(getEventListeners(signal, 'abort')).toEqual([]);
      expect(isSettling(guard)).toBe(false);
    }),
    { numRuns: 300 },
  );
});

function isOutcome<Kind extends StopOutcome['kind']>(
  value: unknown,
  kind: Kind,
): value is StopOutcome & { kind: Kind } {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === kind;
}

function isInPlan({ state }: ReturnType<typeof armedGuard>): boolean {
  return !state.off && state.plan;
}
