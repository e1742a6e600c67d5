import * as z from 'zod/mini';
import { readUntrusted } from '../read-untrusted.ts';

/** What came back from `craft/drainMidTurnQueue`. */
export type DrainAnswer =
  | {
      readonly ok: true;
      /** The user's mid-turn messages, oldest first. */
      readonly messages: readonly string[];
      /** A complete prompt waits in the client's queue (D2). */
      readonly hasQueuedPrompt: boolean;
    }
  | {
      readonly ok: false;
      /** Which field is wrong and what was expected. Nothing of the answer is repeated in it. */
      readonly error: string;
      /** What could still be read: the client has let go of these, so they must not be lost. */
      readonly messages: readonly string[];
    };

const METHOD = 'craft/drainMidTurnQueue';
const METHOD_NOT_FOUND = -32601;

/** What a client without the method has to say: it has no queue (D1). */
export const NO_QUEUE: DrainAnswer = { ok: true, messages: [], hasQueuedPrompt: false };

const Messages = z.object({ messages: z.array(z.string()) });
// Peers whose language has no "left out" send null for it, as ACP allows everywhere.
const QueueSnapshot = z.object({ hasQueuedPrompt: z.nullish(z.boolean()) });
const MethodNotFound = z.object({ code: z.literal(METHOD_NOT_FOUND) });

/**
 * Reads the result of `craft/drainMidTurnQueue`: `{ messages: string[], hasQueuedPrompt?: boolean }` (D1).
 *
 * @param result - any value at all. Extra keys are allowed; `hasQueuedPrompt` left out or `null` means `false`.
 * @returns the answer; for a malformed one the field that is wrong, as a value: nothing is thrown.
 */
export function readDrainAnswer(result: unknown): DrainAnswer {
  const drained = readUntrusted(Messages, result);
  if (!drained.ok) return malformed(drained.field, []);

  const { messages } = drained.value;
  const snapshot = readUntrusted(QueueSnapshot, result);
  if (!snapshot.ok) return malformed(snapshot.field, messages);

  return { ok: true, messages, hasQueuedPrompt: snapshot.value.hasQueuedPrompt ?? false };
}

function malformed(field: string, messages: readonly string[]): DrainAnswer {
  return {
    ok: false,
    error: `${METHOD}: ${field || 'the answer'} is malformed; expected { messages: string[], hasQueuedPrompt?: boolean }.`,
    messages,
  };
}

/**
 * Reads the error of a `craft/drainMidTurnQueue` that failed: a client without the method has no queue (D1), any other
 * error is a look that failed (O8).
 *
 * @param error - what the request was rejected with: any value at all.
 */
export function readDrainError(error: unknown): DrainAnswer {
  return isMethodNotFound(error) ? NO_QUEUE : { ok: false, error: `${METHOD}: the request failed.`, messages: [] };
}

/** Whether an error is JSON-RPC's "method not found": by its code, whatever its class and its words. */
export function isMethodNotFound(error: unknown): boolean {
  return readUntrusted(MethodNotFound, error).ok;
}

/** An entry of a bridge's list of pending prompts, as far as D2 asks. */
export interface PendingPrompt {
  /** The whole prompt has been received. */
  readonly complete: boolean;
  /** Only `queued` waits; the other states are the bridge's own. */
  readonly state: string;
  /** An `AbortSignal`, of which only this is read. */
  readonly signal: { readonly aborted: boolean };
}

/**
 * What a bridge reports as `hasQueuedPrompt` (D2).
 *
 * @param pending - the bridge's pending prompts, in any order.
 * @returns whether one of them is complete, in state `queued` and not aborted.
 */
export function hasQueuedPrompt(pending: Iterable<PendingPrompt>): boolean {
  for (const { complete, state, signal } of pending) {
    if (complete && state === 'queued' && !signal.aborted) return true;
  }
  return false;
}
