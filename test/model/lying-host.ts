import * as fc from 'fast-check';
import { DaemonTodoStopGuard, settleStop } from 'todo-stop-guard';
import type {
  BackgroundSnapshot,
  GuardDecision,
  GuardFact,
  GuardNotice,
  StopHost,
  StopLook,
  StopRequest,
} from 'todo-stop-guard';
import { NO_BACKGROUND, observed, ON, todoList } from '../guard/session.ts';

/** How one call of a host ends, and what happens meanwhile. */
export interface Behaviour {
  readonly ends: 'answers' | 'late' | 'throws' | 'rejects' | 'hangs' | 'nonsense';
  readonly meanwhile:
    'nothing' | 'second_stop' | 'late_answers' | 'rewound' | 'plan' | 'written' | 'cancel' | 'message_sent';
  readonly userMessages: boolean;
  readonly queuedPrompt: boolean;
  readonly background: boolean;
  readonly blocked: boolean;
}

/** One thing that happens in a session. */
export interface Happening {
  readonly what:
    | 'prompt'
    | 'retry'
    | 'related'
    | 'unrelated'
    | 'written'
    | 'model_stopped'
    | 'tools_finished'
    | 'settled'
    | 'message_sent'
    | 'failed'
    | 'plan'
    | 'default'
    | 'dropped'
    | 'background_ended'
    | 'late_answers';
  readonly unfinishedCount: number;
  /** What the host does when it is called, one after the other; then it answers that there is nothing. */
  readonly behaviours: readonly Behaviour[];
}

const seldom = fc.integer({ min: 0, max: 5 }).map((number) => number === 0);

const behaviour: fc.Arbitrary<Behaviour> = fc.record({
  ends: fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom<Behaviour['ends']>('answers', 'late') },
    { weight: 1, arbitrary: fc.constantFrom<Behaviour['ends']>('throws', 'rejects', 'hangs', 'nonsense') },
  ),
  meanwhile: fc.oneof(
    { weight: 8, arbitrary: fc.constant<Behaviour['meanwhile']>('nothing') },
    {
      weight: 3,
      arbitrary: fc.constantFrom<Behaviour['meanwhile']>(
        'second_stop',
        'late_answers',
        'rewound',
        'plan',
        'written',
        'cancel',
        'message_sent',
      ),
    },
  ),
  userMessages: seldom,
  queuedPrompt: seldom,
  background: seldom,
  blocked: seldom,
});

/** A session: mostly lists that stay unfinished and stops, so that the guard has every reason to go on. */
export const session: fc.Arbitrary<readonly Happening[]> = fc.array(
  fc.record({
    what: fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom<Happening['what']>('model_stopped', 'tools_finished') },
      { weight: 3, arbitrary: fc.constant<Happening['what']>('written') },
      {
        weight: 4,
        arbitrary: fc.constantFrom<Happening['what']>('prompt', 'retry', 'related', 'unrelated', 'settled'),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom<Happening['what']>(
          'message_sent',
          'failed',
          'plan',
          'default',
          'dropped',
          'background_ended',
          'late_answers',
        ),
      },
    ),
    unfinishedCount: fc.constantFrom(0, 1, 2, 3, 3),
    behaviours: fc.array(behaviour, { maxLength: 6 }),
  }),
  { minLength: 10, maxLength: 60, size: 'max' },
);

/** What was seen in a session that must not be. */
export interface Findings {
  readonly wrongs: readonly string[];
  readonly guardStreams: number;
}

const RUNNING: BackgroundSnapshot = { tasks: [{ kind: 'shell', id: 'own', state: 'running' }], notifications: [] };

/**
 * Plays a session through shell and driver with a host that lies, fails, is late and repeats itself, and writes down
 * what must not happen. It judges by the streams that really opened, not by what the guard says.
 *
 * @param guardsMaxAttempts - what the guard believes its budget to be; another one is a fault that must be found.
 */
export async function playSession(
  happenings: readonly Happening[],
  maxAttempts: number,
  guardsMaxAttempts: number = maxAttempts,
): Promise<Findings> {
  const player = new Player(maxAttempts, guardsMaxAttempts);
  for (const happening of happenings) await player.play(happening);
  return { wrongs: player.wrongs, guardStreams: player.guardStreams };
}

class Player {
  readonly wrongs: string[] = [];
  guardStreams = 0;
  readonly #guard: DaemonTodoStopGuard;
  readonly #maxAttempts: number;
  #streamsInStage = 0;
  #armedInChain = false;
  #cancelledInChain = false;
  #turn = 'turn-0';
  #turns = 0;
  #calls = 0;

  constructor(maxAttempts: number, guardsMaxAttempts: number) {
    this.#maxAttempts = maxAttempts;
    this.#guard = new DaemonTodoStopGuard({ ...ON, maxAttempts: guardsMaxAttempts });
    this.#begin('prompt');
  }

  async play({ what, unfinishedCount, behaviours }: Happening): Promise<void> {
    const turn = this.#turn;
    switch (what) {
      case 'prompt':
      case 'retry':
      case 'related':
      case 'unrelated':
        this.#begin(what);
        return;
      case 'written':
        this.#write(unfinishedCount);
        return;
      case 'model_stopped':
      case 'tools_finished':
        this.#goOn();
        await this.#stop(what, behaviours);
        return;
      case 'settled':
        this.#guard.tell({ type: 'turn_settled', turn, background: unfinishedCount > 2 ? RUNNING : NO_BACKGROUND });
        return;
      case 'message_sent':
        this.#messageSent();
        return;
      case 'failed':
        this.#guard.tell({ type: 'turn_failed', turn });
        return;
      case 'plan':
      case 'default':
        this.#guard.tell({ type: 'approval_mode_changed', mode: what });
        return;
      case 'dropped':
        this.#guard.tell({ type: 'queued_prompt_dropped' });
        return;
      case 'background_ended':
        this.#guard.observeBackground(NO_BACKGROUND);
        return;
      case 'late_answers':
        this.#lateAnswers();
    }
  }

  #begin(what: 'prompt' | 'retry' | 'related' | 'unrelated'): void {
    const turn = `turn-${++this.#turns}`;
    const background = NO_BACKGROUND;
    const decision =
      what === 'prompt' || what === 'retry'
        ? this.#guard.tell({
            type: 'prompt_started',
            turn,
            origin: what === 'prompt' ? 'user' : 'retry',
            background,
          })
        : this.#guard.tell({
            type: 'automatic_turn_requested',
            turn,
            source: what === 'related' ? { kind: 'shell', id: 'own' } : null,
            background,
          });
    if (decision.kind !== 'admit') return;
    this.#turn = turn;
    if (decision.chain === 'kept') return;
    this.#streamsInStage = 0;
    this.#armedInChain = false;
    this.#cancelledInChain = false;
  }

  /** A stop of a turn that is over would be ignored: the session goes on with the next request and its list. */
  #goOn(): void {
    const { state } = this.#guard;
    const isOver = !state.off && (state.turn === null || state.turn.stop.at === 'stopped');
    if (!isOver) return;
    this.#guard.tell({ type: 'turn_settled', turn: this.#turn, background: NO_BACKGROUND });
    this.#begin('retry');
    this.#write(3);
  }

  #write(unfinishedCount: number): void {
    this.#guard.observeTodoResult(
      observed({ turn: this.#turn, callId: `call-${++this.#calls}`, result: todoList(unfinishedCount) }),
    );
    if (unfinishedCount > 0) this.#armedInChain = true;
  }

  #messageSent(): void {
    const decision = this.#guard.tell({ type: 'user_message_sent', turn: this.#turn });
    if (decision.kind === 'noted') this.#streamsInStage = 0;
  }

  /** Every answer that there is, to a question that nobody asked of a turn that is gone. */
  #lateAnswers(): void {
    const turn = 'turn-of-yesterday';
    const before = this.#guard.state;
    const answers: readonly GuardFact[] = [
      { type: 'looked', turn, userMessages: true, queuedPrompt: true, background: RUNNING },
      { type: 'look_failed', turn },
      { type: 'stop_hooks_finished', turn, blocked: true },
      { type: 'prepared', turn },
      { type: 'prepare_failed', turn },
      { type: 'stream_opened', turn },
      { type: 'todos_written', turn, unfinishedCount: 9 },
      { type: 'user_message_sent', turn },
    ];
    for (const answer of answers) this.#guard.tell(answer);
    if (this.#guard.state !== before) this.wrongs.push('a late answer of another turn changed the state');
  }

  async #stop(after: 'model_stopped' | 'tools_finished', behaviours: readonly Behaviour[]): Promise<void> {
    const controller = new AbortController();
    const script = [...behaviours];
    const { signal } = controller;
    const guard = { tell: (fact: GuardFact): GuardDecision => this.#guard.tell(fact) };
    let opens = 0;
    let asked = 0;

    const act = async <Value>(value: (behaviour: Behaviour) => Value, quiet: Value): Promise<Value> => {
      asked += 1;
      const current = script.shift();
      if (current === undefined) return quiet;
      await this.#meanwhile(current.meanwhile, controller, guard, host);
      switch (current.ends) {
        case 'throws':
        case 'rejects':
          throw new Error('The host fails.');
        case 'hangs':
          // The user grows tired of it.
          setImmediate(() => {
            this.#cancel(controller);
          });
          return new Promise(() => undefined);
        case 'nonsense':
          return undefined as Value;
        case 'late':
          await new Promise((resolve) => setImmediate(resolve));
          return value(current);
        case 'answers':
          return value(current);
      }
    };

    const host: StopHost = {
      turn: this.#turn,
      look: async () =>
        act<StopLook>(
          ({ userMessages, queuedPrompt, background }) => ({
            userMessages,
            queuedPrompt,
            background: background ? RUNNING : NO_BACKGROUND,
          }),
          { userMessages: false, queuedPrompt: false, background: NO_BACKGROUND },
        ),
      runStopHooks: async () => act(({ blocked }) => blocked, false),
      prepare: async () => act(() => undefined, undefined),
      open: async (request: StopRequest) => {
        opens += 1;
        if (opens > 1) this.wrongs.push('one stop submitted two requests');
        this.#checkRequest(request);
        await act(() => undefined, undefined);
        if (request.kind === 'send') this.#streamsInStage += 1;
      },
      close: () => {
        this.#streamsInStage = Math.max(0, this.#streamsInStage - 1);
      },
      notify: (notice: GuardNotice) => {
        if (notice.attempt > this.#maxAttempts) this.wrongs.push('a notice counts past the budget');
        throw new Error('The client is gone.');
      },
    };

    try {
      const outcome = await settleStop(guard, host, { signal, after });
      if (outcome.kind === 'opened' && outcome.request.kind === 'send') this.#opened();
    } catch (error) {
      if (!(error instanceof Error) || error.message !== 'The host fails.') throw error;
    }
    // look, hooks, look, prepare, look, open.
    if (asked > 6) this.wrongs.push('a stop asked more than six questions');
  }

  #opened(): void {
    this.guardStreams += 1;
    if (this.#streamsInStage > this.#maxAttempts) this.wrongs.push('the guard opened more streams than the budget');
  }

  /** What may be submitted at all, judged as it is submitted. */
  #checkRequest(request: StopRequest): void {
    if (request.carries.includes('user_messages')) this.#streamsInStage = 0;
    if (request.kind !== 'send') return;
    if (!this.#armedInChain) this.wrongs.push('the guard sent although nothing armed it');
    if (this.#cancelledInChain) this.wrongs.push('the guard sent after a cancel');
    if (this.#guard.state.off || this.#guard.state.queuedPrompt)
      this.wrongs.push('the guard sent before a queued prompt');
  }

  #cancel(controller: AbortController): void {
    const { state } = this.#guard;
    if (controller.signal.aborted || state.off || state.turn?.id !== this.#turn) return;
    controller.abort();
    this.#cancelledInChain = true;
  }

  async #meanwhile(
    what: Behaviour['meanwhile'],
    controller: AbortController,
    guard: { tell: (fact: GuardFact) => GuardDecision },
    host: StopHost,
  ): Promise<void> {
    switch (what) {
      case 'nothing':
        return;
      case 'second_stop': {
        const second = await settleStop(guard, host, { signal: new AbortController().signal });
        if (second.kind !== 'ignored') this.wrongs.push('a second signal was settled beside the first');
        return;
      }
      case 'late_answers':
        this.#lateAnswers();
        return;
      case 'rewound':
        guard.tell({ type: 'chain_ended', reason: 'rewound' });
        return;
      case 'plan':
        guard.tell({ type: 'approval_mode_changed', mode: 'plan' });
        return;
      case 'written':
        this.#write(2);
        return;
      case 'cancel':
        this.#cancel(controller);
        return;
      case 'message_sent':
        this.#messageSent();
    }
  }
}
