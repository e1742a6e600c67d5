import {
  chainOf,
  endAutomatic,
  KEPT_MAX,
  mayRead,
  mayWrite,
  startAutomatically,
  startByUser,
  startUnannounced,
  withReminder,
} from './chains.ts';
import type { ReminderChains } from './chains.ts';
import { countRequest, writtenReminder } from './kept-reminder.ts';
import { checkPromptId } from './prompt-id.ts';
import { readReminderOptions } from './options.ts';
import type { ActiveTodoReminderOptions } from './options.ts';
import { readUnfinishedTodos } from '../todo-items.ts';
import { ITEMS_SHOWN_MAX, renderReminder } from './render.ts';

/** What became of a Todo list. */
export type ReminderUpdate =
  /** Its unfinished items are the reminder of that prompt now. */
  | { readonly kind: 'kept'; readonly unfinishedCount: number }
  /** Nothing in it is unfinished: that prompt has no reminder any more (R5). */
  | { readonly kind: 'removed' }
  /**
   * The store is as it was. `malformed`: not an array of `{ id, content, status }`. `stale_prompt`: the prompt has ended,
   * or another one has taken its reminder over.
   */
  | { readonly kind: 'ignored'; readonly reason: 'malformed' | 'stale_prompt' };

/** How a request asks for the reminder. */
export interface TakeOptions {
  /** Whatever the frequency says, this request carries it: at a turn's start, or at a delegation's result (R9). */
  readonly forced?: boolean;
}

/** Whose work a prompt goes on with. */
export interface ChainOptions {
  /** Any id of the chain: of the prompt that began it, or of a retry, a continue or an automatic turn that went on with it. */
  readonly continuedFrom?: string | undefined;
}

/**
 * Keeps the unfinished Todo items of each prompt and gives them back as a reminder for its next requests (R1–R12).
 *
 * One store serves one scope: a session, or a sub-agent (see {@link ActiveTodoReminderStore.fork}). It knows nothing of
 * the guard and changes no decision (R12). Of a list it keeps the rendered text only, and at most a hundred chains.
 *
 * Every method throws a TypeError for a prompt id that is not a string or is empty, and leaves the store as it was: an
 * empty id belongs to nobody (T6). Ids are compared strictly.
 */
export class ActiveTodoReminderStore {
  readonly #options: Required<ActiveTodoReminderOptions>;
  #chains: ReminderChains = [];
  /** The ids that were forgotten last, whose late results must not bring a list back. */
  #retired: readonly string[] = [];

  /**
   * @param options - size and frequency; see {@link ActiveTodoReminderOptions}.
   * @throws TypeError or RangeError that names a malformed option (G5).
   */
  constructor(options: ActiveTodoReminderOptions = {}) {
    this.#options = readReminderOptions(options);
  }

  /** How many reminders are kept: 0 once every chain has ended (R11). */
  get size(): number {
    return this.#chains.filter(({ reminder }) => reminder !== null).length;
  }

  /**
   * Takes the list of a successful Todo update of this prompt (R1). Call it for the host's own tool and with the result,
   * never with arguments, history or a file: the store cannot tell.
   *
   * A prompt that was never started may write too; such a list is cleared by the next user prompt that does not
   * continue it.
   *
   * @param todos - the items of the result, `{ id, content, status }` each. Untrusted: a malformed list is refused whole
   *   and by value, and nothing in it can throw.
   */
  update(promptId: string, todos: unknown): ReminderUpdate {
    checkPromptId('promptId', promptId);
    const unfinished = readUnfinishedTodos(todos, ITEMS_SHOWN_MAX);
    if (unfinished === null) return { kind: 'ignored', reason: 'malformed' };

    const chain = chainOf(this.#chains, promptId);
    const isStale = chain === undefined ? this.#retired.includes(promptId) : !mayWrite(chain, promptId);
    if (isStale) return { kind: 'ignored', reason: 'stale_prompt' };

    const { count: unfinishedCount } = unfinished;
    if (unfinishedCount === 0) {
      this.#chains = withReminder(this.#chains, promptId, null);
      return { kind: 'removed' };
    }
    if (chain === undefined) this.#adopt(startUnannounced(this.#chains, promptId));
    const text = renderReminder(unfinished, this.#options.charsMax);
    this.#chains = withReminder(this.#chains, promptId, writtenReminder(text));
    return { kind: 'kept', unfinishedCount };
  }

  /**
   * Asks for the reminder of one model request, and counts that request (R8): ask once for each request that carries tool
   * results, however many, and for one that is forced.
   *
   * @returns the reminder, wrapped in exactly one `<system-reminder>` tag; `undefined` when nothing of this prompt is
   *   unfinished, another turn has taken the reminder over, or it is not due (R5, R3, R9).
   */
  take(promptId: string, { forced = false }: TakeOptions = {}): string | undefined {
    checkPromptId('promptId', promptId);
    const chain = chainOf(this.#chains, promptId);
    if (chain === undefined || chain.reminder === null || !mayRead(chain, promptId)) return undefined;
    const { reminder, due } = countRequest(chain.reminder, this.#options, forced);
    this.#chains = withReminder(this.#chains, promptId, reminder);
    return due ? reminder.text : undefined;
  }

  /**
   * A prompt of the user's starts. It clears every reminder but that of the chain it continues and those of automatic
   * turns that are still running (R4).
   *
   * @param options - `continuedFrom` for a retry or a continue: this prompt takes that chain's reminder over. An id
   *   that no chain knows is as good as none.
   */
  startChain(promptId: string, { continuedFrom }: ChainOptions = {}): void {
    checkIds(promptId, continuedFrom);
    this.#adopt(startByUser(this.#chains, promptId, continuedFrom));
  }

  /**
   * A cron, notification or wakeup turn starts. It clears nothing but what an earlier turn of the same id has left (R3, R4).
   *
   * @param options - `continuedFrom` for a related one: until it ends, the chain's reminder is its own. An id that no
   *   chain knows is as good as none.
   */
  startAutomaticChain(promptId: string, { continuedFrom }: ChainOptions = {}): void {
    checkIds(promptId, continuedFrom);
    this.#adopt(startAutomatically(this.#chains, promptId, continuedFrom));
  }

  /**
   * An automatic turn has ended; call it from the host's `finally`. A list that it began is removed. One that it took over
   * goes back to the chain, as the turn left it, and can be continued under either id (R4). The id of a prompt of the
   * user's, or of nothing, changes nothing.
   */
  endAutomaticChain(promptId: string): void {
    checkPromptId('promptId', promptId);
    this.#adopt(endAutomatic(this.#chains, promptId));
  }

  /** The session has changed, or its history was discarded: everything is forgotten (R4). Late results are refused. */
  clear(): void {
    this.#adopt([]);
  }

  /** An empty store with the same options, for a child scope: nothing leaks up or down (R10). */
  fork(): ActiveTodoReminderStore {
    return new ActiveTodoReminderStore(this.#options);
  }

  /** Takes the next chains, and remembers the ids that they have lost. */
  #adopt(next: ReminderChains): void {
    const living = new Set(idsOf(next));
    const known = [...this.#retired, ...idsOf(this.#chains)];
    this.#retired = known.filter((id) => !living.has(id)).slice(-KEPT_MAX);
    this.#chains = next;
  }
}

function idsOf(chains: ReminderChains): readonly string[] {
  return chains.flatMap(({ turns }) => turns.map(({ id }) => id));
}

function checkIds(promptId: string, continuedFrom: string | undefined): void {
  checkPromptId('promptId', promptId);
  if (continuedFrom !== undefined) checkPromptId('continuedFrom', continuedFrom);
}
