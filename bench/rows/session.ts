import assert from 'node:assert/strict';
import { DaemonTodoStopGuard } from '../../src/guard.ts';
import { initialGuardState, step } from '../../src/machine.ts';
import type { GuardDecision, GuardEvent } from '../../src/machine.ts';
import { compare } from '../measure.ts';
import { MutableGuard } from '../peers/mutable-guard.ts';
import { startReduxToolkit } from '../peers/redux-toolkit.ts';
import { startRobot3 } from '../peers/robot3.ts';
import { startXStateStore } from '../peers/xstate-store.ts';
import { startXState } from '../peers/xstate.ts';
import { EFFORT, report, sink } from '../row.ts';
import type { Row } from '../row.ts';
import { DECISIONS, FACTS, SESSION } from '../session.ts';

/** Begins a session; the returned function takes its events. */
type Start<Event> = () => (event: Event) => GuardDecision;

const ON = initialGuardState({ enabled: true });

const startStep: Start<GuardEvent> = () => {
  let state = ON;
  return (event) => {
    const next = step(state, event);
    state = next.state;
    return next.decision;
  };
};
const startShell = (): ((fact: (typeof FACTS)[number]) => GuardDecision) => {
  const guard = new DaemonTodoStopGuard({ settings: { experimental: { todoStopGuard: true } } });
  return (fact) => guard.tell(fact);
};
const startLimit: Start<GuardEvent> = () => {
  const guard = new MutableGuard();
  return (event) => guard.tell(event);
};

/** Plays the session once, from its start. Every contender first has to take the very same decisions. */
function play<Event>(start: Start<Event>, events: readonly Event[]): () => void {
  const tell = start();
  assert.deepEqual(
    events.map((event) => tell(event)),
    DECISIONS,
  );
  return () => {
    const tellAgain = start();
    for (const event of events) sink.value = tellAgain(event);
  };
}

const contenders = {
  step: play(startStep, SESSION),
  shell: play(startShell, FACTS),
  limit: play(startLimit, SESSION),
  store: play(startXStateStore, SESSION),
  redux: play(startReduxToolkit, SESSION),
  robot3: play(startRobot3, SESSION),
  xstate: play(startXState, SESSION),
};
const measured = await compare(contenders, EFFORT);

const PEERS = [
  { peer: 'a mutable class by hand (the limit)', name: 'limit', atLeast: 0.5 },
  { peer: '`@xstate/store` 4', name: 'store', atLeast: 15 },
  { peer: 'robot3', name: 'robot3' },
  { peer: 'Redux Toolkit 2 (immer)', name: 'redux', atLeast: 50 },
  { peer: 'XState 5 `transition`', name: 'xstate', atLeast: 500 },
] as const;

const session = `a session of ${SESSION.length} events`;
const figure = 'times as fast';

report([
  ...PEERS.map((entry): Row => ({
    workload: `${session}, through \`step\``,
    peer: entry.peer,
    figure,
    ratio: measured.ratio(entry.name, 'step'),
    ...('atLeast' in entry && { target: { atLeast: entry.atLeast }, isHeadline: true }),
  })),
  ...PEERS.map(({ peer, name }): Row => ({
    workload: `${session}, through the shell`,
    peer,
    figure,
    ratio: measured.ratio(name, 'shell'),
  })),
  {
    workload: `${session}, through the limit`,
    peer: 'XState 5 `transition`',
    figure,
    ratio: measured.ratio('xstate', 'limit'),
  },
]);
