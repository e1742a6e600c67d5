import type { GuardDecision } from './decisions.ts';
import type { GuardFact } from './facts.ts';
import type { TurnId } from './state.ts';
import type { StopHost, StopOutcome, StopRequest } from './stop-host.ts';

/** Who is told: a `DaemonTodoStopGuard`, or what wraps one. */
export interface GuardListener {
  /** Takes a fact and answers with the one thing to do, as the guard's own `tell` does. */
  tell(fact: GuardFact): GuardDecision;
}

/** What settles a stop, and what may end it. */
export interface SettleStopOptions {
  /** The user's cancel. The guard is told at once, from the abort listener. */
  readonly signal: AbortSignal;
  /** What has happened: a natural stop (default), or the tool calls of a response have run (B3). */
  readonly after?: 'model_stopped' | 'tools_finished';
}

/**
 * Walks the dialogue of one stop: asks the host what the machine wants to know, in the machine's order, until a request
 * is open or the turn may end. The canonical host loop.
 *
 * @returns how the stop was settled. Once it is `stopped`, the host ends the turn and tells `turn_settled` from its
 * `finally`.
 * @throws what `open` rejects with, after the machine has been told (H2). Other failures are survived and returned.
 * @throws TypeError when the guard answers a stop with what is no answer to one.
 */
export async function settleStop(
  guard: GuardListener,
  host: StopHost,
  { signal, after = 'model_stopped' }: SettleStopOptions,
): Promise<StopOutcome> {
  const failures: unknown[] = [];
  const cancellation = listenForCancel(guard, host.turn, signal);
  try {
    if (cancellation.isTold()) return { kind: 'stopped', reason: 'cancelled', failures };
    let decision = guard.tell({ type: after, turn: host.turn });
    if (decision.kind === 'ignored') return { kind: 'ignored', reason: decision.reason, failures };
    for (;;) {
      switch (decision.kind) {
        case 'look':
        case 'run_stop_hooks':
        case 'prepare': {
          const [answer] = await Promise.allSettled([
            Promise.race([QUESTIONS[decision.kind](host, signal), cancellation.happened]),
          ]);
          if (cancellation.isTold()) return { kind: 'stopped', reason: 'cancelled', failures };
          // From here to the next question nothing is awaited: a send directly follows its last look (O6).
          decision = tellAnswer(guard, answer, FAILED[decision.kind](host.turn), failures);
          break;
        }
        case 'send':
        case 'continue':
          return await openStream(guard, host, decision, cancellation, failures);
        case 'stop':
          notify(host, decision, failures);
          return { kind: 'stopped', reason: decision.reason, failures };
        case 'ignored':
          return { kind: 'overtaken', failures };
        case 'admit':
        case 'hold':
        case 'noted':
          throw new TypeError(
            `A stop cannot be answered with "${decision.kind}": pass a guard that was told of the turn.`,
          );
      }
    }
  } finally {
    cancellation.forget();
  }
}

type Question = 'look' | 'run_stop_hooks' | 'prepare';

const QUESTIONS: Record<Question, (host: StopHost, signal: AbortSignal) => Promise<GuardFact>> = {
  look: async (host, signal) => {
    const { userMessages, queuedPrompt, background } = await host.look(signal);
    if (typeof userMessages !== 'boolean' || typeof queuedPrompt !== 'boolean') {
      throw new TypeError('look must answer with userMessages and queuedPrompt as true or false.');
    }
    return { type: 'looked', turn: host.turn, userMessages, queuedPrompt, background };
  },
  run_stop_hooks: async (host, signal) => {
    const blocked = await host.runStopHooks(signal);
    if (typeof blocked !== 'boolean') throw new TypeError('runStopHooks must answer with true or false.');
    return { type: 'stop_hooks_finished', turn: host.turn, blocked };
  },
  prepare: async (host, signal) => {
    await host.prepare(signal);
    return { type: 'prepared', turn: host.turn };
  },
};

/** A hook that cannot be run, or whose answer cannot be read, does not block. */
const FAILED: Record<Question, (turn: TurnId) => GuardFact> = {
  look: (turn) => ({ type: 'look_failed', turn }),
  run_stop_hooks: (turn) => ({ type: 'stop_hooks_finished', turn, blocked: false }),
  prepare: (turn) => ({ type: 'prepare_failed', turn }),
};

/** An answer that the guard cannot read, such as a look without a snapshot, is a failure like any other (O8). */
function tellAnswer(
  guard: GuardListener,
  answer: PromiseSettledResult<GuardFact>,
  failed: GuardFact,
  failures: unknown[],
): GuardDecision {
  try {
    if (answer.status === 'fulfilled') return guard.tell(answer.value);
    failures.push(answer.reason);
  } catch (error) {
    failures.push(error);
  }
  return guard.tell(failed);
}

async function openStream(
  guard: GuardListener,
  host: StopHost,
  request: StopRequest,
  cancellation: Cancellation,
  failures: unknown[],
): Promise<StopOutcome> {
  const { turn } = host;
  const opening = startOpening(host, request, cancellation.signal);
  const [opened] = await Promise.allSettled([Promise.race([opening, cancellation.happened])]);
  if (cancellation.isTold()) {
    // Should it open all the same, it is closed at once.
    opening.then(
      () => {
        close(host, failures);
      },
      () => undefined,
    );
    return { kind: 'stopped', reason: 'cancelled', failures };
  }
  if (opened.status === 'rejected') {
    guard.tell({ type: 'turn_failed', turn });
    throw opened.reason;
  }
  const decision = guard.tell({ type: 'stream_opened', turn });
  if (decision.kind === 'ignored') {
    close(host, failures);
    return { kind: 'overtaken', failures };
  }
  notify(host, decision, failures);
  return { kind: 'opened', request, failures };
}

function close(host: StopHost, failures: unknown[]): void {
  try {
    host.close();
  } catch (error) {
    failures.push(error);
  }
}

/** Calls `open` at once; what it throws is a rejection. */
async function startOpening(host: StopHost, request: StopRequest, signal: AbortSignal): Promise<void> {
  await host.open(request, signal);
}

/** N5: not waited for, and a failure changes nothing. */
function notify(host: StopHost, decision: GuardDecision, failures: unknown[]): void {
  if (!('notice' in decision)) return;
  const { notice } = decision;
  const delivery = async (): Promise<void> => host.notify(notice);
  delivery().catch((error: unknown) => failures.push(error));
}

interface Cancellation {
  readonly signal: AbortSignal;
  /** The guard was told. */
  isTold(): boolean;
  /** Rejects once the guard was told. */
  readonly happened: Promise<never>;
  forget(): void;
}

/** Tells the guard of a cancel from the abort listener, at once; of one that came before, now. */
function listenForCancel(guard: GuardListener, turn: TurnId, signal: AbortSignal): Cancellation {
  const cancelled: GuardFact = { type: 'hard_stopped', turn, reason: 'cancelled' };
  const listening = new AbortController();
  const happened = new Promise<never>((_, reject) => {
    const listener = (): void => {
      guard.tell(cancelled);
      reject(new Error('The stop was cancelled.'));
    };
    signal.addEventListener('abort', listener, { once: true, signal: listening.signal });
  });
  happened.catch(() => undefined);
  if (signal.aborted) guard.tell(cancelled);
  return {
    signal,
    isTold: () => signal.aborted,
    happened,
    forget: () => {
      listening.abort();
    },
  };
}
