import { getHeapStatistics } from 'node:v8';
import { step } from '../../src/machine.ts';
import type { GuardEvent, GuardState } from '../../src/machine.ts';
import { IGNORED, OFF, ON, START } from '../ignored-events.ts';
import { spread } from '../measure.ts';
import { exactly, IS_QUICK, report } from '../row.ts';
import type { Row } from '../row.ts';

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

const pair = bytesPerCall((decision) => ({ state: ON, decision }));
const row = (workload: string, state: GuardState): Row => ({
  workload,
  peer: `the returned pair alone (${pair} bytes)`,
  figure: 'times the heap bytes a call',
  ratio: exactly(bytesPerCall((event) => step(state, event)) / pair),
  target: { atMost: 1.05 },
});

report([row('ignored events', ON), row('the off switch', OFF)]);
