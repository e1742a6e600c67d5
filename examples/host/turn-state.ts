import type { HardStopReason } from 'todo-stop-guard';
import type { HostGuard } from './host-guard.ts';
import type { Usage } from './model.ts';
import type { StartedTurn } from './surface.ts';

/** What is known of a turn while it runs: its cancel, its hard stop, its tokens. */
export class TurnState implements StartedTurn {
  readonly id: string;
  readonly automatic: boolean;
  readonly text: string;
  readonly #guard: HostGuard;
  readonly #cancel = new AbortController();
  #hardStop: HardStopReason | null = null;
  #usage: Usage = { promptTokens: 0, completionTokens: 0 };

  constructor(turn: StartedTurn, guard: HostGuard) {
    this.id = turn.id;
    this.automatic = turn.automatic;
    this.text = turn.text;
    this.#guard = guard;
  }

  /** Aborts with the turn. */
  get signal(): AbortSignal {
    return this.#cancel.signal;
  }

  /** Why the turn was stopped hard, if it was. The first reason stands. */
  get hardStopped(): HardStopReason | null {
    return this.#hardStop;
  }

  /** The tokens of all its calls so far (N8). */
  get usage(): Usage {
    return this.#usage;
  }

  /** Tells the guard at once (H1). The turn's loop ends at its next step. */
  hardStop(reason: HardStopReason): void {
    this.#hardStop ??= reason;
    this.#guard.tell({ type: 'hard_stopped', turn: this.id, reason });
  }

  /** The user cancels, or another prompt takes the turn's place: whatever runs is aborted. */
  cancel(): void {
    if (this.signal.aborted) return;
    this.hardStop('cancelled');
    this.#cancel.abort(new Error('The turn was cancelled.'));
  }

  spend(usage: Usage | null): void {
    if (usage === null) return;
    this.#usage = {
      promptTokens: this.#usage.promptTokens + usage.promptTokens,
      completionTokens: this.#usage.completionTokens + usage.completionTokens,
    };
  }
}
