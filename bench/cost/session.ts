import { DaemonTodoStopGuard } from '../../src/guard.ts';
import { settleStop } from '../../src/settle-stop.ts';
import type { StopHost, StopRequest } from '../../src/stop-host.ts';
import type { BackgroundSnapshot } from '../../src/background.ts';
import { todoList } from '../todo-list.ts';
import type { Todo } from '../todo-list.ts';
import { Ledger } from './ledger.ts';
import type { Cost } from './ledger.ts';
import type { Asked, Response, SimulatedModel } from './models.ts';
import type { Policy } from './policies.ts';

/** How a session came out. */
export interface Outcome extends Cost {
  readonly completed: boolean;
  /**
   * Model calls that a policy made while what the session waited for had not come: the user's answer to the model's
   * question, or the end of the build that the model had started.
   */
  readonly wrongInterruptions: number;
}

/** Each model call takes this long. */
const CALL_SECONDS = 30;
/** The user is away for two hours, but for the one answer. */
const SESSION_SECONDS = 7_200;
const STOPS_MAX = 200;
const NO_BACKGROUND: BackgroundSnapshot = { tasks: [], notifications: [] };
const CONTINUE_PROMPT =
  'Your Todo list has unfinished items. Continue working on them now and do not stop until all of them are completed.';

const SYSTEM = `You are a coding agent. ${'Work in small steps, keep the Todo list current, and run the tests after each change. '.repeat(40)}`;
const USER = 'Migrate the modules of this repository to the new interface, with tests, and keep a Todo list.';
const BUILD = { kind: 'shell', id: 'build' } as const;

/** The world of one session: its clock, its history, its list, and what it waits for. */
class World {
  readonly ledger = new Ledger();
  readonly history: string[] = [SYSTEM];
  now = 0;
  stops = 0;
  wrongInterruptions = 0;
  todos: readonly Todo[];
  readonly #model: SimulatedModel;
  #delivered = false;

  constructor(model: SimulatedModel) {
    this.#model = model;
    this.todos = todoList(model.items).map((todo) => ({ ...todo, status: 'pending' }));
  }

  isOver(): boolean {
    return this.now >= SESSION_SECONDS || this.stops >= STOPS_MAX;
  }

  get isDone(): boolean {
    return this.todos.every(({ status }) => status === 'completed');
  }

  /** What the session still waits for. */
  get awaited(): SimulatedModel['waitsFor'] | undefined {
    return this.#delivered ? undefined : this.#model.waitsFor;
  }

  hasArrived(): boolean {
    return this.awaited !== undefined && this.now >= this.awaited.minutes * 60;
  }

  get background(): BackgroundSnapshot {
    if (this.awaited?.what !== 'build') return NO_BACKGROUND;
    return this.hasArrived()
      ? { tasks: [{ ...BUILD, state: 'finished' }], notifications: [BUILD] }
      : { tasks: [{ ...BUILD, state: 'running' }], notifications: [] };
  }

  /** Time passes without a call until what is awaited has come; `null` when nothing will. */
  deliver(): 'answer' | 'build' | null {
    const { awaited } = this;
    if (awaited === undefined) return null;
    this.now = Math.max(this.now, awaited.minutes * 60);
    this.#delivered = true;
    return awaited.what;
  }

  /** One model call. */
  call(by: Asked['by'], message: string): Response {
    if (by === 'policy' && this.awaited !== undefined && !this.hasArrived()) this.wrongInterruptions++;
    this.history.push(message);
    this.ledger.add(this.history, this.now);
    this.now += CALL_SECONDS;
    const response = this.#model.respond({ todos: this.todos, by });
    this.history.push(response.todos === undefined ? response.text : `${response.text}\n${toCall(response.todos)}`);
    if (response.todos !== undefined) this.todos = response.todos;
    return response;
  }

  get outcome(): Outcome {
    return { ...this.ledger.cost, completed: this.isDone, wrongInterruptions: this.wrongInterruptions };
  }
}

const toCall = (todos: readonly Todo[]): string => `todo_write(${JSON.stringify({ todos })})`;
const toResult = (todos: readonly Todo[]): string => `Todo list saved. ${JSON.stringify(todos)}`;
const wordsOf = (by: 'user' | 'answer' | 'build'): string =>
  ({ user: USER, answer: 'Take the second one.', build: '<task-notification>build: exit code 0</task-notification>' })[
    by
  ];

/** A session under one of the field's policies. */
export function playPolicy(model: SimulatedModel, makePolicy: () => Policy): Outcome {
  const world = new World(model);
  let by: 'user' | 'answer' | 'build' | null = 'user';
  while (by !== null && !world.isOver()) {
    const policy = makePolicy();
    let response = world.call(by, wordsOf(by));
    while (!world.isOver()) {
      if (response.todos !== undefined) {
        response = world.call('tool_results', toResult(response.todos));
        continue;
      }
      world.stops++;
      if (world.isDone || world.hasArrived()) break;
      const verdict = policy({ todos: world.todos });
      if (verdict === null) break;
      world.now += verdict.delaySeconds;
      // What has come meanwhile begins a turn of its own.
      if (world.hasArrived()) break;
      response = world.call('policy', CONTINUE_PROMPT);
    }
    by = world.deliver();
  }
  return world.outcome;
}

/** The same session on this library: the guard and its driver, as a host runs them. */
export async function playGuard(model: SimulatedModel): Promise<Outcome> {
  const world = new World(model);
  const guard = new DaemonTodoStopGuard({ settings: { experimental: { todoStopGuard: true } } });
  const { signal } = new AbortController();
  let by: 'user' | 'answer' | 'build' | null = 'user';
  for (let number = 1; by !== null && !world.isOver(); number++) {
    const turn = `turn-${number}`;
    guard.tell(
      by === 'build'
        ? { type: 'automatic_turn_requested', turn, source: BUILD, background: world.background }
        : { type: 'prompt_started', turn, origin: 'user', background: NO_BACKGROUND },
    );
    let response = world.call(by, wordsOf(by));
    const host: StopHost = {
      turn,
      look: () => {
        const queuedPrompt = world.awaited?.what === 'answer' && world.hasArrived();
        return Promise.resolve({ userMessages: false, queuedPrompt, background: world.background });
      },
      runStopHooks: () => Promise.resolve(false),
      prepare: () => Promise.resolve(),
      open: ({ carries, ...request }: StopRequest) => {
        const parts = carries.map((part) =>
          part === 'guard_prompt' && 'prompt' in request ? request.prompt : toResult(world.todos),
        );
        response = world.call(carries.includes('guard_prompt') ? 'policy' : 'tool_results', parts.join('\n'));
        return Promise.resolve();
      },
      close: () => undefined,
      notify: () => undefined,
    };
    for (let call = 1; !world.isOver(); call++) {
      const { todos } = response;
      if (todos === undefined) world.stops++;
      else {
        const result = { type: 'todo_list', todos };
        const callId = `${turn}-${call}`;
        guard.observeTodoResult({
          turn,
          callId,
          tool: 'native',
          scope: 'top_level',
          live: true,
          succeeded: true,
          result,
        });
      }
      const after = todos === undefined ? 'model_stopped' : 'tools_finished';
      const outcome = await settleStop(guard, host, { signal, after });
      if (outcome.kind !== 'opened') break;
    }
    guard.tell({ type: 'turn_settled', turn, background: world.background });
    by = world.deliver();
  }
  return world.outcome;
}
