import assert from 'node:assert/strict';
import { captureBaseline, hasRelevantBackground } from '../../src/background.ts';
import type { BackgroundSnapshot, BackgroundTask } from '../../src/background.ts';
import { compare } from '../measure.ts';
import { EFFORT, report, sink } from '../row.ts';
import type { Row } from '../row.ts';

const rows: Row[] = [];
const perId: number[] = [];
for (const ids of [10, 1_000, 100_000]) {
  // All of it is older than the chain, so that nobody may stop early.
  const tasks = Array.from({ length: ids }, (_, index): BackgroundTask => ({
    kind: 'shell',
    id: `task-${index}`,
    state: 'running',
  }));
  const snapshot: BackgroundSnapshot = { tasks, notifications: [] };
  const baseline = captureBaseline(snapshot);
  const old = new Set(tasks.map(({ id }) => id));
  const difference = (): boolean => tasks.some(({ id }) => !old.has(id));
  assert.equal(hasRelevantBackground(baseline, snapshot), difference());
  const { ratio, time } = await compare(
    {
      ours: () => (sink.value = hasRelevantBackground(baseline, snapshot)),
      difference: () => (sink.value = difference()),
    },
    EFFORT,
  );
  rows.push({
    workload: `a look with ${ids.toLocaleString('en')} background ids`,
    peer: 'a plain `Set` difference',
    figure: 'times the time',
    ratio: ratio('ours', 'difference'),
    target: { atMost: 2 },
  });
  perId.push(time.ours / ids);
}
report(rows);
