/**
 * What compiles and what does not, both ways: the compiler checks this file with all the others, and an expected error
 * that does not come is an error.
 */
import { describe, expectTypeOf, test } from 'vitest';
import { explain, initialGuardState, settleStop, step } from 'todo-stop-guard';
import type {
  DaemonTodoStopGuard,
  GuardDecision,
  GuardDecisionKind,
  GuardEvent,
  GuardEventType,
  GuardFact,
  GuardNotice,
  GuardReport,
  GuardState,
  GuardStep,
  StopHost,
  StopOutcome,
  TodoResultRefused,
} from 'todo-stop-guard';

const turn = 'turn-1';
const background = { tasks: [], notifications: [] };

/** Never called: the compiler reads it. */
function wrongEvents(state: GuardState, guard: DaemonTodoStopGuard): void {
  // @ts-expect-error -- no such event
  step(state, { type: 'model_exploded', turn });
  // @ts-expect-error -- an event of a turn needs the turn's id
  step(state, { type: 'model_stopped' });
  // @ts-expect-error -- a look answers all three questions
  step(state, { type: 'looked', turn, userMessages: false, queuedPrompt: false });
  // @ts-expect-error -- a number, never the list (T4)
  step(state, { type: 'todos_written', turn, unfinishedCount: [{ id: '1', content: 'x', status: 'pending' }] });
  // @ts-expect-error -- a reason of a closed list
  step(state, { type: 'hard_stopped', turn, reason: 'bored' });
  // @ts-expect-error -- the machine takes a flag; snapshots are for the guard
  step(state, { type: 'turn_settled', turn, background });
  // @ts-expect-error -- the guard takes a snapshot; flags are for the machine
  guard.tell({ type: 'turn_settled', turn, background: false });
  // @ts-expect-error -- a cron fire has no source, and that is said
  guard.tell({ type: 'automatic_turn_requested', turn, background });
  // @ts-expect-error -- a prompt has an origin
  guard.tell({ type: 'prompt_started', turn, background });
  // @ts-expect-error -- the host vouches for all of it
  guard.observeTodoResult({ turn, callId: 'c', tool: 'native', result: {} });
  // @ts-expect-error -- a state is not written to
  state.off = true;
  // @ts-expect-error -- nothing about a guard can be restored (C9)
  guard.state = state;
}

function missingAnswers(guard: DaemonTodoStopGuard, host: Omit<StopHost, 'prepare'>, whole: StopHost): void {
  const { signal } = new AbortController();
  // @ts-expect-error -- a host that cannot prepare is none
  void settleStop(guard, host, { signal });
  // @ts-expect-error -- a stop can always be cancelled
  void settleStop(guard, whole, {});
  void settleStop(guard, whole, { signal, after: 'tools_finished' });
}

function allDecisions(decision: GuardDecision): string {
  switch (decision.kind) {
    case 'look':
    case 'run_stop_hooks':
    case 'prepare':
      return decision.kind;
    case 'send':
    case 'continue':
      return decision.carries.join();
    case 'stop':
    case 'hold':
    case 'ignored':
      return decision.reason;
    case 'admit':
      return decision.chain;
    case 'noted':
      return 'noted';
  }
}

// @ts-expect-error -- `noted` was forgotten
function forgottenDecision(decision: GuardDecision): string {
  // eslint-disable-next-line @typescript-eslint/switch-exhaustiveness-check -- that is what the compiler finds
  switch (decision.kind) {
    case 'look':
    case 'run_stop_hooks':
    case 'prepare':
    case 'send':
    case 'continue':
    case 'stop':
    case 'hold':
    case 'ignored':
    case 'admit':
      return decision.kind;
  }
}

/** Whatever wraps a guard takes its place in the driver. */
function wrapped(guard: DaemonTodoStopGuard, host: StopHost, signal: AbortSignal): Promise<StopOutcome> {
  return settleStop({ tell: (fact) => guard.tell(fact) }, host, { signal });
}

describe('types', () => {
  test('the machine', () => {
    expectTypeOf(step).parameters.toEqualTypeOf<[GuardState, GuardEvent]>();
    expectTypeOf(step).returns.toEqualTypeOf<GuardStep>();
    expectTypeOf(initialGuardState).returns.toEqualTypeOf<GuardState>();
    expectTypeOf<GuardDecisionKind>().toEqualTypeOf<GuardDecision['kind']>();
    expectTypeOf<GuardEventType>().toEqualTypeOf<GuardFact['type']>();
    expectTypeOf(allDecisions).returns.toBeString();
  });

  test('the guard', () => {
    expectTypeOf<DaemonTodoStopGuard['tell']>().parameters.toEqualTypeOf<[GuardFact]>();
    expectTypeOf<DaemonTodoStopGuard['observeTodoResult']>().returns.toEqualTypeOf<GuardDecision | TodoResultRefused>();
    expectTypeOf<ConstructorParameters<typeof DaemonTodoStopGuard>[1]>().toEqualTypeOf<
      ((report: GuardReport) => void) | undefined
    >();
    expectTypeOf(explain).parameter(0).toEqualTypeOf<GuardDecision | TodoResultRefused>();
    expectTypeOf(wrapped).returns.resolves.toHaveProperty('failures');
    expectTypeOf([wrongEvents, missingAnswers, forgottenDecision]).toBeArray();
  });

  test('a decision is told apart by its kind', () => {
    type Decision<Kind extends GuardDecisionKind> = Extract<GuardDecision, { kind: Kind }>;
    expectTypeOf<Decision<'stop'>['notice']>().toEqualTypeOf<GuardNotice | undefined>();
    expectTypeOf<Decision<'send'>['prompt']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Decision<'hold'>>().not.toHaveProperty('notice');
    expectTypeOf<Decision<'look'>>().toEqualTypeOf<{ readonly kind: 'look' }>();
  });
});
