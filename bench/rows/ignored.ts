import assert from 'node:assert/strict';
import { step } from '../../src/machine.ts';
import type { GuardDecision, GuardEvent, GuardState } from '../../src/machine.ts';
import { IGNORED, OFF, ON, START } from '../ignored-events.ts';
import { compare } from '../measure.ts';
import { MutableGuard } from '../peers/mutable-guard.ts';
import { EFFORT, report, sink } from '../row.ts';
import type { Row } from '../row.ts';

const rows: Row[] = [];
const limitOn = new MutableGuard();
limitOn.tell(START);
for (const { workload, state, limit } of [
  { workload: 'ignored events', state: ON, limit: limitOn },
  { workload: 'the off switch', state: OFF, limit: new MutableGuard({ off: true }) },
]) {
  for (const event of IGNORED) {
    const next = step(state, event);
    assert.equal(next.state, state);
    assert.deepEqual(limit.tell(event), next.decision);
  }
  const { ratio } = await compare(
    {
      ours: play((event) => step(state, event)),
      limit: play((event) => limit.tell(event)),
      paired: play((event) => pair(state, limit.tell(event))),
    },
    EFFORT,
  );
  rows.push(
    {
      workload,
      peer: 'the limit',
      figure: 'times as fast',
      ratio: ratio('limit', 'ours'),
      target: { atLeast: 0.9 },
      isHeadline: true,
    },
    { workload, peer: 'the limit, returning a pair too', figure: 'times as fast', ratio: ratio('paired', 'ours') },
    {
      workload: `${workload}: the limit, returning a pair too`,
      peer: 'the limit',
      figure: 'times as fast',
      ratio: ratio('limit', 'paired'),
    },
  );
}
report(rows);

function play(tell: (event: GuardEvent) => unknown): () => void {
  return () => {
    for (const event of IGNORED) sink.value = tell(event);
  };
}

function pair(state: GuardState, decision: GuardDecision): unknown {
  return { state, decision };
}
