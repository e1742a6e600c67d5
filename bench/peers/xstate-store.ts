import { createStore } from '@xstate/store';
import * as decide from '../../src/fixed-decisions.ts';
import { initialGuardState, step } from '../../src/machine.ts';
import type { GuardDecision, GuardEvent, GuardStep } from '../../src/machine.ts';
import { EVENT_TYPES } from './event-types.ts';

/**
 * `@xstate/store`, whose transitions are pure functions from context and event to context: it is lent this library's own, so that
 * what is measured beyond them is the store.
 */
export function startXStateStore(): (event: GuardEvent) => GuardDecision {
  const take = ({ state }: GuardStep, event: GuardEvent): GuardStep => step(state, event);
  const context: GuardStep = { state: initialGuardState({ enabled: true }), decision: decide.NOTED };
  const store = createStore<GuardStep, GuardEvent, never>({
    context,
    on: Object.fromEntries(EVENT_TYPES.map((type) => [type, take])),
  });
  return (event) => {
    store.send(event);
    return store.getSnapshot().context.decision;
  };
}
