import assert from 'node:assert/strict';
import { DaemonTodoStopGuard } from '../../src/guard.ts';
import { spread } from '../measure.ts';
import { IS_QUICK, report } from '../row.ts';
import type { Row } from '../row.ts';

const GUARDS = IS_QUICK ? 10_000 : 100_000;
const NO_BACKGROUND = { tasks: [], notifications: [] };
const TODOS = { type: 'todo_list', todos: [{ id: '1', content: 'build', status: 'pending' }] };

function idleGuard(): DaemonTodoStopGuard {
  return new DaemonTodoStopGuard({ settings: { experimental: { todoStopGuard: true } } });
}

function armedGuard(index: number): DaemonTodoStopGuard {
  const guard = idleGuard();
  const turn = `turn-${index}`;
  guard.tell({ type: 'prompt_started', turn, origin: 'user', background: NO_BACKGROUND });
  guard.observeTodoResult({
    turn,
    callId: `call-${index}`,
    tool: 'native',
    scope: 'top_level',
    live: true,
    succeeded: true,
    result: TODOS,
  });
  assert(!guard.state.off && guard.state.chain.status === 'armed');
  return guard;
}

/** The same fields in plain objects. */
function idlePlain(): unknown {
  return {
    state: {
      off: false,
      maxAttempts: 2,
      chain: { status: 'idle', spent: 0 },
      turn: null,
      queuedPrompt: false,
      plan: false,
    },
    baseline: null,
    answeredCalls: undefined,
  };
}

function armedPlain(index: number): unknown {
  const turn = `turn-${index}`;
  return {
    state: {
      off: false,
      maxAttempts: 2,
      chain: { status: 'armed', unfinishedCount: 1, spent: 0 },
      turn: { id: turn, automatic: false, stop: { at: 'working' } },
      queuedPrompt: false,
      plan: false,
    },
    baseline: { revoked: false, inherited: new Map() },
    answeredCalls: new Set([`call-${index}`]),
  };
}

/** Bytes that each one keeps alive. */
function bytesEach(make: (index: number) => unknown): number {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const kept = Array.from({ length: GUARDS }, (_, index) => make(index));
  globalThis.gc?.();
  const bytes = (process.memoryUsage().heapUsed - before) / GUARDS;
  assert.equal(kept.length, GUARDS);
  return bytes;
}

function row(name: string, guard: (index: number) => unknown, plain: (index: number) => unknown): Row {
  bytesEach(guard);
  const rounds = Array.from({ length: IS_QUICK ? 2 : 7 }, () => ({ guard: bytesEach(guard), plain: bytesEach(plain) }));
  const each = Math.round(spread(rounds.map((round) => round.guard)).median);
  return {
    workload: `${GUARDS.toLocaleString('en')} guards, ${name} (${each} bytes each)`,
    peer: 'plain objects with the same fields',
    figure: 'times the bytes',
    ratio: spread(rounds.map((round) => round.guard / round.plain)),
    target: { atMost: 2 },
    isHeadline: name === 'armed',
  };
}

report([row('idle', idleGuard, idlePlain), row('armed', armedGuard, armedPlain)]);
