import { settleStop } from 'todo-stop-guard';
import type {
  DaemonTodoStopGuard,
  GuardDecision,
  GuardFact,
  GuardListener,
  GuardNotice,
  StopHost,
  StopLook,
  StopOutcome,
  StopRequest,
} from 'todo-stop-guard';
import { NO_BACKGROUND } from '../guard/session.ts';

/** A look that finds nothing. */
export const NOTHING: StopLook = { userMessages: false, queuedPrompt: false, background: NO_BACKGROUND };

/** The callbacks that a test replaces; the others answer so that the guard's send opens. */
export type Callbacks = Partial<Omit<StopHost, 'turn'>>;

/** A host for the turn `one` that writes down what it is asked and what it opens, closes and shows. */
export class RecordingHost implements StopHost {
  readonly turn = 'one';
  readonly asked: string[] = [];
  readonly opened: StopRequest[] = [];
  readonly notices: GuardNotice[] = [];
  closed = 0;
  readonly #callbacks: Callbacks;

  constructor(callbacks: Callbacks = {}) {
    this.#callbacks = callbacks;
  }

  async look(signal: AbortSignal): Promise<StopLook> {
    this.asked.push('look');
    return (await this.#callbacks.look?.(signal)) ?? NOTHING;
  }

  async runStopHooks(signal: AbortSignal): Promise<boolean> {
    this.asked.push('run_stop_hooks');
    return (await this.#callbacks.runStopHooks?.(signal)) ?? false;
  }

  async prepare(signal: AbortSignal): Promise<void> {
    this.asked.push('prepare');
    await this.#callbacks.prepare?.(signal);
  }

  async open(request: StopRequest, signal: AbortSignal): Promise<void> {
    this.asked.push('open');
    this.opened.push(request);
    await this.#callbacks.open?.(request, signal);
  }

  close(): void {
    this.closed += 1;
    this.#callbacks.close?.();
  }

  notify(notice: GuardNotice): void | Promise<void> {
    this.notices.push(notice);
    return this.#callbacks.notify?.(notice);
  }
}

/** Writes down what the guard is told and what it answers. */
export class RecordingGuard implements GuardListener {
  readonly facts: GuardFact[] = [];
  readonly decisions: GuardDecision[] = [];
  readonly #guard: GuardListener;

  constructor(guard: GuardListener) {
    this.#guard = guard;
  }

  tell(fact: GuardFact): GuardDecision {
    this.facts.push(fact);
    const decision = this.#guard.tell(fact);
    this.decisions.push(decision);
    return decision;
  }
}

/** Settles a natural stop without a cancel. */
export async function settle(guard: GuardListener, host: StopHost): Promise<StopOutcome> {
  return settleStop(guard, host, { signal: new AbortController().signal });
}

/** Whether a later stop of this guard works: the next turn is continued from its look to its open stream. */
export async function worksInTheNextTurn(guard: DaemonTodoStopGuard): Promise<boolean> {
  guard.tell({ type: 'turn_settled', turn: 'one', background: NO_BACKGROUND });
  guard.tell({ type: 'prompt_started', turn: 'next', origin: 'user', background: NO_BACKGROUND });
  guard.tell({ type: 'todos_written', turn: 'next', unfinishedCount: 1 });
  const host = Object.assign(new RecordingHost(), { turn: 'next' });
  const outcome = await settle(guard, host);
  return outcome.kind === 'opened' && outcome.request.kind === 'send';
}

/** Whether the guard waits for an answer of a dialogue. */
export function isSettling({ state }: DaemonTodoStopGuard): boolean {
  if (state.off || state.turn === null) return false;
  const { at } = state.turn.stop;
  return at !== 'working' && at !== 'guard_stream' && at !== 'stopped';
}
