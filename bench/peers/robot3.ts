import { createMachine, guard, interpret, reduce, state, transition } from 'robot3';
import type { GuardDecision, GuardEvent } from '../../src/machine.ts';
import { CHART, INITIAL } from './chart.ts';
import type { ChartContext } from './chart.ts';

const machine = createMachine(
  'none',
  Object.fromEntries(
    Object.entries(CHART).map(([name, rows]) => [
      name,
      state(
        ...rows.map(({ event, to, when, then }) =>
          transition(
            event,
            to ?? name,
            ...(when === undefined ? [] : [guard<ChartContext, GuardEvent>(when)]),
            reduce<ChartContext, GuardEvent>(then),
          ),
        ),
      ),
    ]),
  ),
  () => INITIAL,
);

/** The part of a service that is used here: robot3's own types lose the states of a machine that is made from a table. */
interface ChartService {
  send(event: GuardEvent): void;
  readonly context: ChartContext;
}

/** robot3, by an interpreted service. */
export function startRobot3(): (event: GuardEvent) => GuardDecision {
  const service = interpret(machine as never, () => undefined) as unknown as ChartService;
  return (event) => {
    service.send(event);
    return service.context.decision;
  };
}
