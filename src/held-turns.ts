import type { BackgroundId } from './background.ts';
import type { TurnId } from './state.ts';

/** An automatic turn that has to wait (C4, C5). */
export interface HeldTurn<Payload> {
  /** Not empty, never used twice. */
  readonly turn: TurnId;
  /** The background work that the turn reports on; `null` for a cron fire (K3). */
  readonly source: BackgroundId | null;
  /** The recurring task that the turn is one fire of. Unrelated fires of one task coalesce (Q1). */
  readonly recurringTask?: string;
  /** Whatever the host needs to run the turn. The queue hands it back untouched. */
  readonly payload: Payload;
}

/**
 * The automatic turns that wait, oldest first: an immutable value.
 *
 * Whether a turn is related is asked anew each time and never stored, since a new chain or revoked trust makes
 * related work unrelated. Unrelated turns are bounded by `unrelatedMax`. Related ones are not: only work that the
 * chain itself has begun can add one. A host whose monitors print without end should merge their lines first.
 */
export interface HeldTurns<Payload> {
  readonly unrelatedMax: number;
  readonly turns: readonly HeldTurn<Payload>[];
}

/** A turn that will not run, and why: a newer fire of its task took its place, or the queue was full (Q1). */
export interface DroppedTurn<Payload> {
  readonly held: HeldTurn<Payload>;
  readonly reason: 'coalesced' | 'queue_full';
}

const UNRELATED_MAX_LIMIT = 10_000;

/**
 * Makes an empty queue.
 *
 * @param unrelatedMax - how many unrelated turns may wait, a whole number from 1 to 10,000 (Q1).
 * @throws RangeError if `unrelatedMax` is anything else.
 */
export function emptyHeldTurns<Payload>(unrelatedMax = 100): HeldTurns<Payload> {
  if (!Number.isInteger(unrelatedMax) || unrelatedMax < 1 || unrelatedMax > UNRELATED_MAX_LIMIT) {
    throw new RangeError(
      `unrelatedMax must be a whole number from 1 to ${UNRELATED_MAX_LIMIT}, not ${String(unrelatedMax)}`,
    );
  }
  return { unrelatedMax, turns: [] };
}

/**
 * Holds a turn back (Q1).
 *
 * An unrelated fire of a recurring task takes the place of the one that waits. Otherwise the turn goes to the end;
 * if that makes too many unrelated ones, the oldest recurring one goes, which may be the new one itself, as it will
 * come again; then the oldest other. Related turns stay. A turn that waits already changes nothing: the same queue
 * comes back. The cost is linear in the number of turns that wait.
 *
 * @param isRelated - whether a source belongs to the chain now; a cron fire is not asked for.
 * @returns the next queue, and what it lost: tell the user of it.
 * @throws TypeError if the turn's id is empty.
 */
export function holdTurn<Payload>(
  queue: HeldTurns<Payload>,
  held: HeldTurn<Payload>,
  isRelated: (source: BackgroundId) => boolean,
): { readonly queue: HeldTurns<Payload>; readonly dropped: readonly DroppedTurn<Payload>[] } {
  if (held.turn === '') throw new TypeError('turn must not be empty: give every turn an id of its own');
  if (queue.turns.some((other) => other.turn === held.turn)) return { queue, dropped: [] };

  const isUnrelated = ({ source }: HeldTurn<Payload>): boolean => source === null || !isRelated(source);
  const place = placeOfTask(queue.turns, held, isUnrelated);
  const replaced = queue.turns[place];
  if (replaced !== undefined) {
    return {
      queue: { ...queue, turns: queue.turns.with(place, held) },
      dropped: [{ held: replaced, reason: 'coalesced' }],
    };
  }

  const turns = [...queue.turns, held];
  const evicted = tooMany(turns, queue.unrelatedMax, isUnrelated);
  return {
    queue: { ...queue, turns: turns.filter((turn) => !evicted.has(turn)) },
    dropped: [...evicted].map((turn) => ({ held: turn, reason: 'queue_full' })),
  };
}

/**
 * Asks again for every held turn, in order, until one is admitted (Q2).
 *
 * Call it after each decision that says `released`. An admitted turn makes the others wait again, so that one leaves at
 * a time; its end releases the next. While `ask` refuses, and if it throws, all of them are still held: a turn cannot
 * be lost between its release and its admission.
 *
 * @param ask - requests the turn; `true` if it was admitted:
 * `(held) => guard.tell({ type: 'automatic_turn_requested', turn: held.turn, source: held.source, background }).kind === 'admit'`.
 * @returns the turn to run now, and the queue without it; `null` and the same queue if all must wait.
 */
export function releaseNextTurn<Payload>(
  queue: HeldTurns<Payload>,
  ask: (held: HeldTurn<Payload>) => boolean,
): { readonly queue: HeldTurns<Payload>; readonly admitted: HeldTurn<Payload> | null } {
  const admitted = queue.turns.find((held) => ask(held));
  return admitted === undefined
    ? { queue, admitted: null }
    : { queue: withdrawTurns(queue, (held) => held === admitted), admitted };
}

/**
 * Takes back turns that the host does not want to run any more: a cancelled task's, a closed session's.
 *
 * @returns the queue without them; the same queue if none matches.
 */
export function withdrawTurns<Payload>(
  queue: HeldTurns<Payload>,
  isWithdrawn: (held: HeldTurn<Payload>) => boolean,
): HeldTurns<Payload> {
  const turns = queue.turns.filter((held) => !isWithdrawn(held));
  return turns.length === queue.turns.length ? queue : { ...queue, turns };
}

/** Where an unrelated fire of the same recurring task waits; -1 if the turn does not coalesce. */
function placeOfTask<Payload>(
  turns: readonly HeldTurn<Payload>[],
  held: HeldTurn<Payload>,
  isUnrelated: (held: HeldTurn<Payload>) => boolean,
): number {
  if (held.recurringTask === undefined || !isUnrelated(held)) return -1;
  return turns.findIndex((other) => other.recurringTask === held.recurringTask && isUnrelated(other));
}

/** The unrelated turns beyond the bound: the oldest recurring ones, then the oldest others. */
function tooMany<Payload>(
  turns: readonly HeldTurn<Payload>[],
  unrelatedMax: number,
  isUnrelated: (held: HeldTurn<Payload>) => boolean,
): ReadonlySet<HeldTurn<Payload>> {
  if (turns.length <= unrelatedMax) return new Set();
  const unrelated = turns.filter(isUnrelated);
  const excess = Math.max(0, unrelated.length - unrelatedMax);
  const recurringFirst = [
    ...unrelated.filter((held) => held.recurringTask !== undefined),
    ...unrelated.filter((held) => held.recurringTask === undefined),
  ];
  return new Set(recurringFirst.slice(0, excess));
}
