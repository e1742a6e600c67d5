import { emptyHeldTurns, holdTurn, releaseNextTurn, withdrawTurns } from 'todo-stop-guard';
import type { BackgroundId, GuardDecision, HeldTurn, HeldTurns } from 'todo-stop-guard';
import type { AutomaticTurn } from './background.ts';
import { tailOf } from './cut-text.ts';
import type { SessionSurface } from './surface.ts';

/** Lines of one monitor that wait as turns of their own; a further one joins the last (the queue does not bound related work). */
const TURNS_OF_A_TASK_MAX = 100;
const TEXT_CHARS_MAX = 100_000;

/** What the queue needs of its session. */
export interface AutomaticTurnsHost {
  readonly surface: Pick<SessionSurface, 'held' | 'dropped'>;
  newTurnId(): string;
  isRelated(source: BackgroundId): boolean;
  /** Asks the guard to admit the turn. */
  request(held: HeldTurn<string>): GuardDecision;
  /** Runs a turn that was admitted. */
  run(held: HeldTurn<string>, related: boolean): void;
}

/** The automatic turns that are due: they run one at a time, when nothing holds them (C4, C5, Q1, Q2). */
export class AutomaticTurns {
  readonly #host: AutomaticTurnsHost;
  #queue: HeldTurns<string> = emptyHeldTurns();

  constructor(host: AutomaticTurnsHost) {
    this.#host = host;
  }

  /** What is queued and reports on background work: not admitted yet (K2). */
  get notifications(): readonly BackgroundId[] {
    return this.#queue.turns.flatMap(({ source }) => (source === null ? [] : [source]));
  }

  get isEmpty(): boolean {
    return this.#queue.turns.length === 0;
  }

  /** A turn is due. Ask for it with {@link AutomaticTurns.releaseNext}. */
  add({ source, text, recurringTask }: AutomaticTurn): void {
    const ofTask = this.#queue.turns.filter((held) => source !== null && isSame(held.source, source));
    const last = ofTask.length < TURNS_OF_A_TASK_MAX ? undefined : ofTask.at(-1);
    if (last !== undefined) this.#queue = withdrawTurns(this.#queue, (held) => held === last);
    const held: HeldTurn<string> = {
      turn: this.#host.newTurnId(),
      source,
      payload: last === undefined ? text : tailOf(`${last.payload}\n${text}`, TEXT_CHARS_MAX),
      ...(recurringTask !== undefined && { recurringTask }),
    };
    const { queue, dropped } = holdTurn(this.#queue, held, (id) => this.#host.isRelated(id));
    this.#queue = queue;
    for (const turn of dropped) this.#host.surface.dropped(turn);
  }

  /** Asks for each turn that waits, in order, until one is admitted and runs. */
  releaseNext(): void {
    let related = false;
    const { queue, admitted } = releaseNextTurn(this.#queue, (held) => {
      const decision = this.#host.request(held);
      if (decision.kind === 'hold') this.#host.surface.held(held.payload, decision.reason);
      related = decision.kind === 'admit' && decision.chain === 'kept';
      return decision.kind === 'admit';
    });
    this.#queue = queue;
    if (admitted !== null) this.#host.run(admitted, related);
  }

  /** The session closes. */
  clear(): void {
    this.#queue = emptyHeldTurns();
  }
}

function isSame(one: BackgroundId | null, other: BackgroundId): boolean {
  return one?.kind === other.kind && one.id === other.id;
}
