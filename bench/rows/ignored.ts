import assert from 'node:assert/strict';
import { getHeapStatistics } from 'node:v8';
import { initialGuardState, step } from '../../src/machine.ts';
import type { GuardEvent, GuardState } from '../../src/machine.ts';
import { compare, spread } from '../measure.ts';
import { MutableGuard } from '../peers/mutable-guard.ts';
import { EFFORT, IS_QUICK, report, sink } from '../row.ts';
import type { Row } from '../row.ts';

/** Events that mean nothing while the first turn works: late ones of another turn, and answers that nobody asked for. */
const IGNORED: readonly GuardEvent[] = [
  { type: 'model_stopped', turn: 'gone' },
  { type: 'todos_written', turn: 'gone', unfinishedCount: 3 },
  { type: 'looked', turn: 'gone', userMessages: false, queuedPrompt: false, background: false },
  { type: 'prompt_started', turn: 'p1', origin: 'user' },
  { type: 'stream_opened', turn: 'p1' },
  { type: 'background_ended' },
  { type: 'queued_prompt_dropped' },
  { type: 'approval_mode_changed', mode: 'yolo' },
];
const START: GuardEvent = { type: 'prompt_started', turn: 'p1', origin: 'user' };

const on = step(initialGuardState({ enabled: true }), START).state;
const off = initialGuardState({ enabled: false });
const limit = new MutableGuard();
limit.tell(START);
for (const event of IGNORED) {
  const { state, decision } = step(on, event);
  assert.equal(state, on);
  assert.equal(decision.kind, 'ignored');
  assert.deepEqual(limit.tell(event), decision);
}

const limitOff = new MutableGuard({ off: true });
assert.deepEqual(
  IGNORED.map((event) => limitOff.tell(event)),
  IGNORED.map((event) => step(off, event).decision),
);

const play = (tell: (event: GuardEvent) => unknown) => (): void => {
  for (const event of IGNORED) sink.value = tell(event);
};
const measured = await compare(
  {
    ignored: play((event) => step(on, event)),
    limit: play((event) => limit.tell(event)),
    off: play((event) => step(off, event)),
    limitOff: play((event) => limitOff.tell(event)),
  },
  EFFORT,
);

const CALLS = 1_000_000;
const kept: unknown[] = Array.from({ length: 64 });

/** Bytes that the heap grows by for each call. The process has a nursery that no million calls can fill, so that nothing is collected. */
function bytesPerCall(call: (event: GuardEvent) => unknown): number {
  const run = (): number => {
    globalThis.gc?.();
    const before = getHeapStatistics().used_heap_size;
    // Kept for a while, so that no pair can be left out as useless.
    for (let index = 0; index < CALLS; index++) kept[index % 64] = call(IGNORED[index % IGNORED.length] ?? START);
    return (getHeapStatistics().used_heap_size - before) / CALLS;
  };
  const runs = Array.from({ length: IS_QUICK ? 3 : 9 }, run);
  return Math.round(spread(runs.slice(1)).median);
}

const pair = bytesPerCall((decision) => ({ state: on, decision }));
const heapRow = (workload: string, state: GuardState): Row => {
  const bytes = bytesPerCall((event) => step(state, event));
  return {
    workload,
    peer: `the returned pair alone (${pair} bytes)`,
    figure: 'times the heap bytes a call',
    ratio: { median: bytes / pair, low: bytes / pair, high: bytes / pair },
    target: { atMost: 1.05 },
  };
};

report([
  {
    workload: 'ignored events',
    peer: 'the limit',
    figure: 'times as fast',
    ratio: measured.ratio('limit', 'ignored'),
    target: { atLeast: 0.9 },
  },
  {
    workload: 'the off switch',
    peer: 'the limit',
    figure: 'times as fast',
    ratio: measured.ratio('limitOff', 'off'),
    target: { atLeast: 0.9 },
  },
  heapRow('ignored events', on),
  heapRow('the off switch', off),
]);
