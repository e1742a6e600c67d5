import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { BackgroundSnapshot, HeldTurn, PromptOrigin } from 'todo-stop-guard';
import type { SessionOptions } from './assemble-parts.ts';
import { assembleParts } from './assemble-parts.ts';
import { AutomaticTurns } from './automatic-turns.ts';
import { Conversation } from './conversation.ts';
import type { ApprovalMode } from './flags.ts';
import type { SessionParts } from './session-parts.ts';
import { suggestFollowUp } from './side-calls.ts';
import type { StartedTurn } from './surface.ts';
import type { TurnResult } from './turn.ts';
import { runTurn } from './turn.ts';
import { TurnState } from './turn-state.ts';

/** A prompt for a session. */
export interface SessionPrompt {
  readonly text: string;
  /** `retry` and `continue` are the trusted ones, on the host's word (C2). */
  readonly origin?: PromptOrigin;
}

/**
 * A session: it owns the guard, the reminders, the background work, the automatic turns and the history, and runs one
 * turn at a time. All that it has to show or to ask goes through its surface.
 */
export class HostSession {
  readonly #options: SessionOptions;
  readonly #parts: SessionParts;
  readonly #automatic: AutomaticTurns;
  #conversation: Conversation;
  #cwd: string;
  #mode: ApprovalMode;
  #turns = 0;
  /** The turn that runs, and when it will have settled. */
  #live: { readonly turn: TurnState; readonly settled: Promise<TurnResult> } | null = null;
  /** The last prompt, whose reminder a retry takes over; and the last turn of the chain, whose a related turn does (R4). */
  #promptTurn: string | undefined;
  #chainTurn: string | undefined;
  #followUp: AbortController | null = null;
  #wakeScheduled = false;
  #closed = false;

  constructor(options: SessionOptions, conversation: Conversation = new Conversation()) {
    const { flags, surface, cwd } = options;
    this.#options = options;
    this.#conversation = conversation;
    this.#cwd = cwd;
    this.#mode = flags.approvalMode;
    this.#parts = assembleParts(options, {
      cwd: () => this.#cwd,
      mode: () => this.#mode,
      snapshot: () => this.#snapshot(),
      liveTurn: () => this.#live?.turn.id ?? '',
      due: (turn) => {
        this.#automatic.add(turn);
        this.#wake();
      },
      released: () => {
        this.#wake();
      },
    });
    this.#automatic = new AutomaticTurns({
      surface,
      newTurnId: () => this.#newTurnId(),
      isRelated: (source) => this.#parts.guard.isRelated(source, this.#snapshot()),
      request: ({ turn, source }) =>
        this.#parts.guard.tell({
          type: 'automatic_turn_requested',
          turn,
          source,
          background: this.#snapshot(),
        }),
      run: (held, related) => {
        this.#runAutomatic(held, related);
      },
    });
  }

  get cwd(): string {
    return this.#cwd;
  }

  get mode(): ApprovalMode {
    return this.#mode;
  }

  /** The turn that runs. */
  get liveTurn(): StartedTurn | null {
    return this.#live?.turn ?? null;
  }

  /** Nothing runs, nothing waits, no background work is live, and no suggestion is being made. */
  get isIdle(): boolean {
    const nothingRuns = this.#live === null && this.#followUp === null;
    return nothingRuns && this.#automatic.isEmpty && this.#parts.background.tasks.length === 0;
  }

  /**
   * Runs a prompt. It supersedes a turn that is still live (C1): that one is cancelled, and this one waits until it has
   * settled.
   *
   * @returns how the turn ended; never rejects for what the model, a tool or the user does.
   * @throws Error when the session is closed.
   */
  async prompt({ text, origin = 'user' }: SessionPrompt): Promise<TurnResult> {
    if (this.#closed) throw new Error('The session is closed.');
    const { guard, reminders } = this.#parts;
    const id = this.#newTurnId();
    guard.tell({ type: 'prompt_started', turn: id, origin, background: this.#snapshot() });
    reminders.startChain(id, { continuedFrom: origin === 'user' ? undefined : this.#promptTurn });
    this.#promptTurn = id;
    return this.#start({ id, automatic: false, text });
  }

  /** The user cancels: the live turn, or what the chain waits for while none runs (H1). */
  cancel(): void {
    if (this.#live === null) this.#parts.guard.tell({ type: 'chain_ended', reason: 'cancelled' });
    else this.#live.turn.cancel();
  }

  /** Changes the approval mode, for what runs too (C7, C8). */
  setMode(mode: ApprovalMode): void {
    this.#mode = mode;
    this.#parts.guard.tell({ type: 'approval_mode_changed', mode });
  }

  /** The last queued prompt was dropped (O2). */
  queuedPromptDropped(): void {
    this.#parts.guard.tell({ type: 'queued_prompt_dropped' });
  }

  /**
   * Goes back to where the session was some turns ago. A turn that is live runs to its end in the history it began with,
   * which nobody reads any more.
   *
   * @param turns - how many turns are taken back, automatic ones included.
   * @throws RangeError when there were not so many.
   */
  rewind(turns: number): void {
    this.#conversation = this.#conversation.rewound(turns);
    this.#parts.guard.tell({ type: 'chain_ended', reason: 'rewound' });
    this.#parts.reminders.clear();
  }

  /**
   * Changes the working directory.
   *
   * @throws Error when it is no absolute path of a directory; nothing has changed then.
   */
  async changeDirectory(cwd: string): Promise<void> {
    const found = isAbsolute(cwd) ? await stat(cwd).catch(() => null) : null;
    if (found?.isDirectory() !== true) throw new Error(`cwd must be the absolute path of a directory, not ${cwd}.`);
    this.#cwd = cwd;
    this.#parts.guard.tell({ type: 'chain_ended', reason: 'directory_changed' });
    this.#parts.reminders.clear();
  }

  /**
   * A new session with the same history, which inherits neither trust nor background work (C6).
   *
   * @param own - what it does not share: its surface, and tools that live as long as it does.
   */
  branch(own: Pick<SessionOptions, 'surface' | 'discoveredTools'>): HostSession {
    this.#parts.guard.tell({ type: 'chain_ended', reason: 'branched' });
    const flags = { ...this.#options.flags, approvalMode: this.#mode };
    const options = { ...this.#options, flags, cwd: this.#cwd, ...own };
    return new HostSession(options, this.#conversation.branched());
  }

  /** Ends the session and everything that it has begun: the live turn, processes, timers. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#followUp?.abort();
    this.#automatic.clear();
    this.#parts.background.close();
    this.#live?.turn.cancel();
    await this.#live?.settled;
  }

  #snapshot(): BackgroundSnapshot {
    return { tasks: this.#parts.background.tasks, notifications: this.#automatic.notifications };
  }

  #runAutomatic({ turn: id, payload: text }: HeldTurn<string>, related: boolean): void {
    this.#parts.reminders.startAutomaticChain(id, { continuedFrom: related ? this.#chainTurn : undefined });
    void this.#start({ id, automatic: true, text });
  }

  #start(started: StartedTurn): Promise<TurnResult> {
    this.#followUp?.abort();
    this.#chainTurn = started.id;
    const turn = new TurnState(started, this.#parts.guard);
    const before = this.#live;
    before?.turn.cancel();
    const settled = this.#run(turn, before?.settled);
    this.#live = { turn, settled };
    return settled;
  }

  async #run(turn: TurnState, before: Promise<unknown> | undefined): Promise<TurnResult> {
    const { surface, guard, reminders } = this.#parts;
    await before;
    const conversation = this.#conversation;
    const result = await runTurn(this.#parts, turn, conversation);

    if (this.#live?.turn === turn) this.#live = null;
    const decision = guard.tell({ type: 'turn_settled', turn: turn.id, background: this.#snapshot() });
    if (turn.automatic) reminders.endAutomaticChain(turn.id);
    if ('notice' in decision) void Promise.resolve(surface.notice(decision.notice)).catch(() => undefined);
    surface.turnEnded(turn, result);
    this.#wake();
    if (!turn.automatic && result.kind === 'ended') this.#suggestFollowUp(conversation);
    return result;
  }

  /** Asks for the turns that wait, once whoever waited for the last turn has had its say: a prompt comes first (O2). */
  #wake(): void {
    if (this.#wakeScheduled) return;
    this.#wakeScheduled = true;
    setImmediate(() => {
      this.#wakeScheduled = false;
      // A guard that is off admits every turn: that one runs at a time is the host's own affair (G3).
      if (this.#closed || (this.#live !== null && this.#parts.guard.state.off)) return;
      this.#automatic.releaseNext();
    });
  }

  /** Once the turn has settled, and unless something else comes first (Q3). */
  #suggestFollowUp(conversation: Conversation): void {
    if (!this.#options.flags.followUps) return;
    const asking = new AbortController();
    this.#followUp = asking;
    setImmediate(() => {
      void this.#askFollowUp(conversation, asking.signal).finally(() => {
        if (this.#followUp === asking) this.#followUp = null;
      });
    });
  }

  async #askFollowUp(conversation: Conversation, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#live !== null || this.#parts.guard.suppressesFollowUps) return;
    try {
      const { text } = await suggestFollowUp(this.#parts.model, conversation.entries, signal);
      this.#parts.surface.followUp(text);
    } catch {
      // A suggestion that fails is none.
    }
  }

  #newTurnId(): string {
    return `turn-${++this.#turns}`;
  }
}
