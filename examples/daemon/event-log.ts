/**
 * The events of one session, for any number of clients that come and go.
 *
 * The newest events are kept in the ring as they were. What rolls out of it goes on in the history, compacted, where
 * each guard notice still stands on its own (N7). What falls out of the history is gone, and a client that asks for it is
 * told so. A client holds nothing here but its place, so that a slow one costs no memory and delays nobody.
 *
 * @module
 */
import { compactReplay } from 'todo-stop-guard/acp';
import type { DaemonEvent } from './events.ts';

/** An event with its place. Ids count up from 1 without a hole. */
export type NumberedEvent = (DaemonEvent | { readonly type: 'gap' }) & { readonly id: number };

/** An event as a client gets it. */
export interface LoggedEvent {
  readonly event: NumberedEvent;
  /** The last id that went into it: its own, unless it was compacted. */
  readonly through: number;
}

/** How much a log holds. */
export interface EventLogLimits {
  /** Events in the ring, and as many compacted ones in the history. */
  readonly eventsMax: number;
  /** UTF-16 units of JSON in the ring, and as many in the history. */
  readonly charsMax: number;
}

/** Enough for a turn of several hundred tool calls; hundreds of sessions of this size fit into a small machine. */
export const EVENT_LOG_LIMITS: EventLogLimits = { eventsMax: 1000, charsMax: 2_000_000 };

interface Sized extends LoggedEvent {
  readonly chars: number;
}

/** Events in order, within limits of number and size. */
class Shelf {
  readonly #limits: EventLogLimits;
  readonly #entries: Sized[] = [];
  #chars = 0;

  constructor(limits: EventLogLimits) {
    this.#limits = limits;
  }

  get entries(): readonly LoggedEvent[] {
    return this.#entries;
  }

  add(added: readonly LoggedEvent[]): void {
    for (const entry of added) {
      const chars = JSON.stringify(entry.event).length;
      this.#entries.push({ ...entry, chars });
      this.#chars += chars;
    }
  }

  takeLast(): readonly LoggedEvent[] {
    return this.#take(this.#entries.length - 1, 1);
  }

  /** Takes out the oldest events past the limits, and a quarter of the rest with them, so that it is done seldom. */
  takeSurplus(): readonly LoggedEvent[] {
    const { eventsMax, charsMax } = this.#limits;
    if (this.#entries.length <= eventsMax && this.#chars <= charsMax) return [];
    let count = 0;
    let chars = this.#chars;
    for (const entry of this.#entries) {
      if (this.#entries.length - count <= 0.75 * eventsMax && chars <= 0.75 * charsMax) break;
      chars -= entry.chars;
      count++;
    }
    return this.#take(0, count);
  }

  #take(from: number, count: number): readonly LoggedEvent[] {
    const taken = this.#entries.splice(from, count);
    for (const { chars } of taken) this.#chars -= chars;
    return taken;
  }
}

/** The events of one session. */
export class EventLog {
  readonly #ring: Shelf;
  readonly #history: Shelf;
  readonly #waiting = new Set<() => void>();
  #newest = 0;
  /** The first event of the turn that runs; it is replayed in full. */
  #liveFrom: number | null = null;
  #closed = false;

  constructor(limits: EventLogLimits = EVENT_LOG_LIMITS) {
    this.#ring = new Shelf(limits);
    this.#history = new Shelf(limits);
  }

  /** The id of the newest event; 0 when there is none. */
  get newest(): number {
    return this.#newest;
  }

  append(event: DaemonEvent): void {
    if (this.#closed) return;
    const id = ++this.#newest;
    this.#ring.add([{ event: { ...event, id }, through: id }]);
    const surplus = this.#ring.takeSurplus();
    if (surplus.length > 0) {
      this.#history.add(compact([...this.#history.takeLast(), ...surplus]));
      this.#history.takeSurplus();
    }
    this.#wake();
  }

  /** The events from here on belong to a turn that runs. */
  beginTurn(): void {
    this.#liveFrom ??= this.#newest + 1;
  }

  /** No turn runs. */
  endTurn(): void {
    this.#liveFrom = null;
  }

  /** Nothing more will come. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /**
   * What a client gets that has seen the events up to an id: the turns that have ended compacted (N7), the one that runs
   * in full. A `gap` comes first when ids after that one are gone, when this id lies inside an event that exists in its
   * compacted form only, which then follows whole, or when there was no such id.
   */
  replayAfter(id: number): readonly LoggedEvent[] {
    const kept = [...this.#history.entries, ...this.#ring.entries];
    const start = id > this.#newest ? 0 : kept.findIndex(({ through }) => through > id);
    const first = kept[start];
    if (first === undefined) return [];
    const rest = kept.slice(start);
    const isLive = ({ event }: LoggedEvent): boolean => this.#liveFrom !== null && event.id >= this.#liveFrom;
    const before = first.event.id - 1;
    return [
      ...(before === id ? [] : [{ event: { type: 'gap' as const, id: before }, through: before }]),
      ...compact(rest.filter((entry) => !isLive(entry))),
      ...rest.filter(isLive),
    ];
  }

  /**
   * Everything after an id, and then whatever comes, as it comes.
   *
   * Ends when the signal aborts, and after the last event of a log that is closed.
   */
  async *follow(id: number, signal: AbortSignal): AsyncGenerator<LoggedEvent, void, void> {
    let entries = this.replayAfter(id);
    for (;;) {
      const through = this.#newest;
      yield* entries;
      while (this.#newest === through && !this.#closed && !signal.aborted) await this.#grown(signal);
      if (signal.aborted || this.#newest === through) return;
      entries = this.#liveAfter(through) ?? this.replayAfter(through);
    }
  }

  /** The events after an id as they were; `null` when not all of them are in the ring. */
  #liveAfter(id: number): readonly LoggedEvent[] | null {
    const oldest = this.#ring.entries[0]?.event.id;
    return oldest === undefined || oldest > id + 1 ? null : this.#ring.entries.slice(id + 1 - oldest);
  }

  #grown(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const woken = (): void => {
        this.#waiting.delete(woken);
        signal.removeEventListener('abort', woken);
        resolve();
      };
      this.#waiting.add(woken);
      signal.addEventListener('abort', woken);
    });
  }

  #wake(): void {
    for (const woken of [...this.#waiting]) woken();
  }
}

function compact(entries: readonly LoggedEvent[]): readonly LoggedEvent[] {
  const last = entries.at(-1);
  if (last === undefined) return [];
  const events = compactReplay(entries.map(({ event }) => event));
  return events.map((event, index) => ({ event, through: (events[index + 1]?.id ?? last.through + 1) - 1 }));
}
