import { configureStore, createSlice, Tuple } from '@reduxjs/toolkit';
import type { PayloadAction } from '@reduxjs/toolkit';
import * as decide from '../../src/fixed-decisions.ts';
import type { GuardDecision, GuardEvent } from '../../src/machine.ts';
import { EVENT_TYPES } from './event-types.ts';
import { initialFields, tellMutable } from './mutable-guard.ts';
import type { MutableFields } from './mutable-guard.ts';

interface SliceState {
  readonly guard: MutableFields;
  decision: GuardDecision;
}

const take = (draft: SliceState, { payload }: PayloadAction<GuardEvent>): void => {
  draft.decision = tellMutable(draft.guard, payload);
};

const slice = createSlice({
  name: 'guard',
  initialState: (): SliceState => ({ guard: initialFields(), decision: decide.NOTED }),
  reducers: Object.fromEntries(EVENT_TYPES.map((type) => [type, take])),
});

/** Redux Toolkit: the rules of the mutable class on an immer draft. Its development checks are off, as in production. */
export function startReduxToolkit(): (event: GuardEvent) => GuardDecision {
  const store = configureStore({ reducer: slice.reducer, middleware: () => new Tuple(), devTools: false });
  return (event) => {
    store.dispatch({ type: `guard/${event.type}`, payload: event });
    return store.getState().decision;
  };
}
