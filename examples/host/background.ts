import type { BackgroundId, BackgroundKind, BackgroundReference, BackgroundTask } from 'todo-stop-guard';

/** Background work that was begun. */
export interface StartedTask {
  readonly source: BackgroundId;
  /** It was queued, and runs now. */
  run(): void;
  /** It has something to say: an automatic turn with this text is due. */
  notify(text: string): void;
  /** It is over, and this is the text of its last turn. */
  end(text: string): void;
}

/** An automatic turn that background work or a cron job asks for. */
export interface AutomaticTurn {
  /** `null` for a cron fire (K3). */
  readonly source: BackgroundId | null;
  /** The user text of the turn. */
  readonly text: string;
  /** Fires of one recurring task coalesce while they wait (Q1). */
  readonly recurringTask?: string;
}

/** The registry's way back to its session. */
export interface BackgroundListener {
  /** An automatic turn is due. */
  due(turn: AutomaticTurn): void;
  /** A task has begun or ended, and whatever it had to say about it is due already. */
  changed(): void;
}

/**
 * The background work of one session: what runs, who began it, and what runs on time.
 *
 * A task and the notification of its end change hands at once: at no moment is neither of them there (K2).
 */
export class BackgroundRegistry {
  readonly #listener: BackgroundListener;
  readonly #live = new Map<string, { readonly task: BackgroundTask; readonly stop: () => void }>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #begun = 0;
  #closed = false;

  constructor(listener: BackgroundListener) {
    this.#listener = listener;
  }

  /** What is live. The lineage needs nothing more: what a task has begun keeps its parent's name. */
  get tasks(): readonly BackgroundTask[] {
    return [...this.#live.values()].map(({ task }) => task);
  }

  /**
   * Begins a task.
   *
   * @param stop - how to end it when the session closes: kill its processes, stop its timer.
   * @param state - a `queued` task is as live as a running one (K2, F16).
   * @throws Error when the session is closed; the task has then been stopped.
   */
  begin(
    kind: BackgroundKind,
    parent: BackgroundReference | undefined,
    stop: () => void,
    state: 'queued' | 'running' = 'running',
  ): StartedTask {
    if (this.#closed) {
      stop();
      throw new Error('The session is closed.');
    }
    const id = `${kind}-${++this.#begun}`;
    const source: BackgroundId = { kind, id, ...(parent !== undefined && { parent }) };
    this.#live.set(id, { task: { ...source, state }, stop });
    this.#listener.changed();
    return {
      source,
      run: () => {
        if (this.#live.has(id)) this.#live.set(id, { task: { ...source, state: 'running' }, stop });
      },
      notify: (text) => {
        if (this.#live.has(id)) this.#listener.due({ source, text });
      },
      end: (text) => {
        if (!this.#live.has(id)) return;
        this.#live.delete(id);
        this.#listener.due({ source, text });
        this.#listener.changed();
      },
    };
  }

  /** Runs a prompt every so many seconds, as a turn that is nobody's result (K3). */
  every(seconds: number, job: { readonly id: string; readonly prompt: string }): void {
    const timer = setInterval(() => {
      this.#listener.due({ source: null, text: job.prompt, recurringTask: job.id });
    }, seconds * 1000);
    this.#timers.add(timer);
  }

  /** Ends everything. Nothing is said of it: nobody is left to listen. */
  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) clearInterval(timer);
    const live = [...this.#live.values()];
    this.#live.clear();
    for (const { stop } of live) stop();
  }
}

/**
 * The user text of a notification turn.
 *
 * @param output - what the task has to say, bounded by whoever collected it.
 */
export function taskNotification(source: BackgroundId, status: string, output: string): string {
  return [
    '<task-notification>',
    `<task-id>${source.id}</task-id>`,
    `<kind>${source.kind}</kind>`,
    `<status>${status}</status>`,
    `<output>\n${output.trimEnd()}\n</output>`,
    '</task-notification>',
  ].join('\n');
}
