import assert from 'node:assert/strict';
import { captureBaseline, hasRelevantBackground } from '../../src/background.ts';
import type { BackgroundSnapshot, BackgroundTask } from '../../src/background.ts';
import { compare } from '../measure.ts';
import type { Ratio } from '../measure.ts';
import { EFFORT, linearity, report, sink } from '../row.ts';
import type { Row } from '../row.ts';

const rows: Row[] = [];
const ratios: Ratio[] = [];
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
  const { ratio } = await compare(
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
    isHeadline: ids === 1_000,
  });
  ratios.push(ratio('ours', 'difference'));
}
rows.push(linearity('a look with 100,000 ids against 1,000', 'a plain `Set` difference', ratios));
report(rows);
