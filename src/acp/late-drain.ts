/**
 * Drains that answer too late (D3).
 *
 * A drain empties the client's queue, so the messages of an answer exist nowhere else. A host stops waiting after a
 * while, and the answer still comes: its messages must open the next drain, once and in order, while what it said
 * about the prompt queue is old. The ledger keeps both true, because messages leave it at one place only:
 *
 *     ledger = drainAsked(ledger, request);                      // when the request is sent
 *     ledger = drainAnswered(ledger, request, answer);           // whenever it settles, in time or not
 *     ({ ledger, … } = takeDrained(ledger, request));            // when the host stops waiting, answered or not
 *
 * The timer is the host's. One ledger serves one session; a new session, or disposal, goes on from {@link NO_DRAINS},
 * in which an answer to an older request finds no place and is dropped whole.
 *
 * @module
 */
import type { DrainAnswer } from './drain.ts';

/** A drain's identity, compared by reference: the promise of the request will do. */
export type DrainRequest = object;

/** Drains whose messages have not been taken yet, in the order of asking. As bounded as the connection's open requests. */
export type DrainLedger = readonly DrainRecord[];

/** One drain. */
export interface DrainRecord {
  readonly request: DrainRequest;
  /** The host has stopped waiting for it. */
  readonly late: boolean;
  /** `null` until it has been answered. */
  readonly answer: DrainAnswer | null;
}

/** What a look gets from the queue. */
export interface Drained {
  /** The ledger without what was taken. */
  readonly ledger: DrainLedger;
  /** The user's messages: those of late answers first, then those of this drain. They are the host's from here on. */
  readonly messages: readonly string[];
  /** Whether a complete prompt waits; `null` when nobody knows, because the drain timed out or its answer was malformed. */
  readonly hasQueuedPrompt: boolean | null;
}

/** A session that has drained nothing, or that is gone. */
export const NO_DRAINS: DrainLedger = [];

/**
 * A drain has been sent.
 *
 * @throws TypeError when this request is in the ledger already.
 */
export function drainAsked(ledger: DrainLedger, request: DrainRequest): DrainLedger {
  if (ledger.some((drain) => drain.request === request)) {
    throw new TypeError('request: it has been asked already; give each drain an object of its own.');
  }
  return [...ledger, { request, late: false, answer: null }];
}

/**
 * A drain has been answered, in time or late.
 *
 * @param answer - also one that says that the drain failed: it closes the record.
 * @returns the same ledger when the request is not in it (disposed of, another session's) or has been answered before.
 */
export function drainAnswered(ledger: DrainLedger, request: DrainRequest, answer: DrainAnswer): DrainLedger {
  const asked = ledger.find((drain) => drain.request === request);
  if (asked === undefined || asked.answer !== null) return ledger;
  return ledger.map((drain) => (drain === asked ? { ...drain, answer } : drain));
}

/**
 * The host stops waiting for a drain and takes every message there is. An unanswered drain is late from now on; so a
 * client that is always slow delays its user's words by one drain, and never withholds them.
 */
export function takeDrained(ledger: DrainLedger, request: DrainRequest): Drained {
  const current = ledger.find((drain) => drain.request === request);
  return {
    ledger: ledger
      .filter((drain) => drain.answer === null)
      .map((drain) => (drain === current ? { ...drain, late: true } : drain)),
    messages: ledger.flatMap((drain) => drain.answer?.messages ?? []),
    hasQueuedPrompt: current?.answer?.ok === true && !current.late ? current.answer.hasQueuedPrompt : null,
  };
}
