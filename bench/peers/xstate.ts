import { assign, createMachine, initialTransition, transition } from 'xstate';
import type { GuardDecision, GuardEvent } from '../../src/machine.ts';
import { CHART, INITIAL } from './chart.ts';
import type { ChartContext, ChartRow } from './chart.ts';

interface Asked {
  readonly context: ChartContext;
  readonly event: GuardEvent;
}

const machine = createMachine({
  types: {} as { context: ChartContext; events: GuardEvent },
  context: INITIAL,
  initial: 'none',
  states: Object.fromEntries(Object.entries(CHART).map(([state, rows]) => [state, { on: transitionsOf(rows) }])),
});

function transitionsOf(rows: readonly ChartRow[]) {
  return Object.fromEntries(
    [...new Set(rows.map(({ event }) => event))].map((type) => [
      type,
      rows
        .filter(({ event }) => event === type)
        .map(({ to, when, then }) => ({
          ...(to !== undefined && { target: to }),
          ...(when !== undefined && { guard: ({ context, event }: Asked) => when(context, event) }),
          actions: assign(({ context, event }: Asked) => then(context, event)),
        })),
    ]),
  );
}

/** XState 5, by its pure `transition`. */
export function startXState(): (event: GuardEvent) => GuardDecision {
  let [snapshot] = initialTransition(machine);
  return (event) => {
    [snapshot] = transition(machine, snapshot, event);
    return snapshot.context.decision;
  };
}
