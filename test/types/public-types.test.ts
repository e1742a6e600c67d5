import { describe, expectTypeOf, it } from 'vitest';
import { DaemonTodoStopGuard, explain, initialGuardState, settleStop, step } from 'todo-stop-guard';
import type {
  GuardDecision,
  GuardDecisionKind,
  GuardEvent,
  GuardEventType,
  GuardFact,
  GuardNotice,
  GuardOn,
  GuardReport,
  GuardState,
  GuardStep,
  StopHost,
  StopOutcome,
  TodoResultObservation,
  TodoResultRefused,
} from 'todo-stop-guard';

/** What must not compile must not run either: only the compiler reads it. */
function compiled(read: (...anything: never[]) => unknown): void {
  expectTypeOf(read).toBeFunction();
}

describe('events', () => {
  it('[T4] can carry no Todo text, and none is misspelt', () => {
    compiled(() => {
      // @ts-expect-error -- no such event
      step({ off: true }, { type: 'model_stoped', turn: 'one' });
      // @ts-expect-error -- the turn is missing
      step({ off: true }, { type: 'model_stopped' });
      // @ts-expect-error -- a look answers all three questions
      step({ off: true }, { type: 'looked', turn: 'one', userMessages: false, queuedPrompt: false });
      // @ts-expect-error -- a number, never the items
      step({ off: true }, { type: 'todos_written', turn: 'one', unfinishedCount: [{ content: 'x' }] });
      // @ts-expect-error -- no text beside the number
      step({ off: true }, { type: 'todos_written', turn: 'one', unfinishedCount: 1, todos: ['x'] });
      // @ts-expect-error -- a reason of the closed list
      step({ off: true }, { type: 'hard_stopped', turn: 'one', reason: 'bored' });
      // @ts-expect-error -- an end of a chain is no hard stop
      step({ off: true }, { type: 'hard_stopped', turn: 'one', reason: 'rewound' });
    });
    expectTypeOf<Extract<GuardEvent, { type: 'todos_written' }>>().toEqualTypeOf<{
      readonly type: 'todos_written';
      readonly turn: string;
      readonly unfinishedCount: number;
    }>();
  });

  it('[K1] reach the shell with a snapshot where the machine takes a boolean', () => {
    compiled((guard: DaemonTodoStopGuard) => {
      // @ts-expect-error -- a snapshot
      guard.tell({ type: 'turn_settled', turn: 'one', background: true });
      // @ts-expect-error -- the source, not the verdict
      guard.tell({ type: 'automatic_turn_requested', turn: 'one', related: true });
      // @ts-expect-error -- the baseline needs a snapshot
      guard.tell({ type: 'prompt_started', turn: 'one', origin: 'user' });
    });
    compiled((guard: DaemonTodoStopGuard) => {
      const background = { tasks: [], notifications: [] };
      // @ts-expect-error -- a snapshot is for the guard, a boolean for the machine
      step({ off: true }, { type: 'turn_settled', turn: 'one', background });
      // @ts-expect-error -- a cron fire has no source, and that is said
      guard.tell({ type: 'automatic_turn_requested', turn: 'one', background });
      // @ts-expect-error -- a prompt has an origin
      guard.tell({ type: 'prompt_started', turn: 'one', background });
    });
    expectTypeOf<GuardFact['type']>().toEqualTypeOf<GuardEvent['type']>();
    expectTypeOf<GuardEventType>().toEqualTypeOf<GuardFact['type']>();
  });
});

describe('decisions', () => {
  it('are told apart by their kind, and a switch that forgets one does not compile', () => {
    compiled((decision: GuardDecision): string => {
      switch (decision.kind) {
        case 'look':
        case 'run_stop_hooks':
        case 'prepare':
        case 'send':
        case 'continue':
        case 'stop':
        case 'admit':
        case 'hold':
        case 'noted':
          return decision.kind;
        case 'ignored':
          return decision.reason;
      }
    });
    // @ts-expect-error -- `ignored` is forgotten
    compiled((decision: GuardDecision): string => {
      // eslint-disable-next-line @typescript-eslint/switch-exhaustiveness-check -- that is the point
      switch (decision.kind) {
        case 'look':
        case 'run_stop_hooks':
        case 'prepare':
        case 'send':
        case 'continue':
        case 'stop':
        case 'admit':
        case 'hold':
        case 'noted':
          return decision.kind;
      }
    });
    compiled((decision: GuardDecision) => {
      // @ts-expect-error -- only some decisions have a reason
      compiled(() => decision.reason);
      // @ts-expect-error -- only a send has an attempt
      compiled(() => decision.kind === 'continue' && decision.attempt);
    });
  });

  it('each have what belongs to their kind, and no more', () => {
    type Decision<Kind extends GuardDecisionKind> = Extract<GuardDecision, { kind: Kind }>;
    expectTypeOf<GuardDecisionKind>().toEqualTypeOf<GuardDecision['kind']>();
    expectTypeOf<Decision<'stop'>['notice']>().toEqualTypeOf<GuardNotice | undefined>();
    expectTypeOf<Decision<'send'>['prompt']>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Decision<'hold'>>().not.toHaveProperty('notice');
    expectTypeOf<Decision<'look'>>().toEqualTypeOf<{ readonly kind: 'look' }>();
    expectTypeOf(explain).parameter(0).toEqualTypeOf<GuardDecision | TodoResultRefused>();
  });

  it('[N3] a notice is numbers and one of two words', () => {
    expectTypeOf<GuardNotice>().toEqualTypeOf<{
      readonly about: 'continuation' | 'exhaustion';
      readonly attempt: number;
      readonly maxAttempts: number;
      readonly unfinishedCount: number;
    }>();
  });
});

describe('states', () => {
  it('cannot be written to, and a variant holds only its own data', () => {
    compiled((state: GuardState) => {
      // @ts-expect-error -- immutable
      state.off = true;
      // @ts-expect-error -- a guard that is off has no chain
      compiled(() => state.chain);
    });
    compiled((state: GuardOn) => {
      // @ts-expect-error -- immutable
      state.queuedPrompt = true;
      // @ts-expect-error -- a suspended chain has no count
      compiled(() => state.chain.status === 'suspended' && state.chain.unfinishedCount);
      // @ts-expect-error -- an idle chain has no count
      compiled(() => state.chain.status === 'idle' && state.chain.unfinishedCount);
    });
    expectTypeOf(step).parameters.toEqualTypeOf<[GuardState, GuardEvent]>();
    expectTypeOf(step).returns.toEqualTypeOf<GuardStep>();
    expectTypeOf(initialGuardState).returns.toEqualTypeOf<GuardState>();
  });
});

describe('hosts', () => {
  it('[T1] vouch for every part of where a result comes from', () => {
    compiled((guard: DaemonTodoStopGuard) => {
      // @ts-expect-error -- whether the call was live and successful is missing
      guard.observeTodoResult({ turn: 'one', callId: '1', tool: 'native', scope: 'top_level', result: {} });
    });
    expectTypeOf<TodoResultObservation['result']>().toEqualTypeOf<unknown>();
  });

  it('[H1] cannot settle a stop without a signal, or without a way to prepare one and to close a stream', () => {
    const { signal } = new AbortController();
    compiled((guard: DaemonTodoStopGuard, host: StopHost) => {
      // @ts-expect-error -- a stop can be cancelled
      void settleStop(guard, host, {});
      void settleStop(guard, host, { signal, after: 'tools_finished' });
      // Whatever wraps a guard takes its place.
      void settleStop({ tell: (fact) => guard.tell(fact) }, host, { signal });
    });
    compiled((guard: DaemonTodoStopGuard, host: Omit<StopHost, 'close'>) => {
      // @ts-expect-error -- a stream may have to be closed
      void settleStop(guard, host, { signal });
    });
    compiled((guard: DaemonTodoStopGuard, host: Omit<StopHost, 'prepare'>) => {
      // @ts-expect-error -- a host that cannot prepare is none
      void settleStop(guard, host, { signal });
    });
    expectTypeOf(settleStop).returns.toEqualTypeOf<Promise<StopOutcome>>();
  });

  it('hear of steps and refusals by a function, and of both answers to a result', () => {
    expectTypeOf<DaemonTodoStopGuard['observeTodoResult']>().returns.toEqualTypeOf<GuardDecision | TodoResultRefused>();
    expectTypeOf<ConstructorParameters<typeof DaemonTodoStopGuard>[1]>().toEqualTypeOf<
      ((report: GuardReport) => void) | undefined
    >();
  });

  it('[G1] [G4] cannot switch a guard on while it runs', () => {
    compiled((guard: DaemonTodoStopGuard) => {
      // @ts-expect-error -- read only
      guard.state = { off: true };
      // @ts-expect-error -- true or false
      compiled(() => new DaemonTodoStopGuard({ settings: { experimental: { todoStopGuard: 'true' } } }));
    });
  });
});
