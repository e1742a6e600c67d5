import { readUnfinishedTodos } from './todo-items.ts';
import type { TurnId } from './state.ts';

/** An answered Todo call and where it came from. The host vouches for everything but `result` (T1). */
export interface TodoResultObservation {
  /** The turn that the call ran in. */
  readonly turn: TurnId;
  /** The id of the tool call, not empty and at most 1,024 UTF-16 units. An id that was answered before is refused. */
  readonly callId: string;
  /** `native`: the host's own Todo tool. `discovered`: any other tool by that name, an MCP server's for example. */
  readonly tool: 'native' | 'discovered';
  /** Whose list it is. */
  readonly scope: 'top_level' | 'sub_agent';
  /** It was executed just now: not replayed, not read from a disk. */
  readonly live: boolean;
  /** The call succeeded. */
  readonly succeeded: boolean;
  /** The structured result, as it is: an untrusted value of any kind (T2, T7). */
  readonly result: unknown;
}

/** Why a result was refused at the door, in the order in which it is looked at. */
export type TodoResultRefusal =
  /** It is not a result of the host's own Todo tool. */
  | 'not_native'
  /** It is a sub-agent's list. */
  | 'not_top_level'
  /** The turn's id or the call's id is empty, too long, or no string. */
  | 'unusable_id'
  /** It was replayed or restored. */
  | 'not_live'
  /** The call failed. */
  | 'not_succeeded'
  /** The call was answered before. */
  | 'duplicate_call'
  /** The result is not the envelope of T2. */
  | 'not_a_todo_list';

/** The result changed nothing, and why. */
export interface TodoResultRefused {
  readonly kind: 'ignored';
  readonly reason: TodoResultRefusal;
}

/**
 * Counts the unfinished items of a structured Todo result, and keeps nothing of it (T2, T4).
 *
 * @param result - an untrusted value of any kind.
 * @returns how many items are pending or in progress; `null` when it is not `{ type: 'todo_list', todos }` with string
 * `id` and `content` and a known `status` in every item, all of them properties of their own. Extra keys are allowed.
 * A list of more than 100,000 items and a text with a lone surrogate are refused. Never throws (T7).
 */
export function countUnfinished(result: unknown): number | null {
  try {
    if (typeof result !== 'object' || result === null) return null;
    if (!hasOwn(result, 'type') || !hasOwn(result, 'todos') || result.type !== 'todo_list') return null;
    const unfinished = readUnfinishedTodos(result.todos, 0);
    return unfinished?.isWellFormed === true ? unfinished.count : null;
  } catch {
    // A getter or a proxy of the payload threw.
    return null;
  }
}

function hasOwn<Key extends string>(value: object, key: Key): value is Record<Key, unknown> {
  return Object.hasOwn(value, key);
}

const CALL_ID_CHARS_MAX = 1_024;

/** Refuses what is no answer to a call of the host's own top-level tool. */
export function refuseSource({ turn, callId, tool, scope }: TodoResultObservation): TodoResultRefusal | null {
  if (tool !== 'native') return 'not_native';
  if (scope !== 'top_level') return 'not_top_level';
  return isUsableId(turn, Infinity) && isUsableId(callId, CALL_ID_CHARS_MAX) ? null : 'unusable_id';
}

/** Refuses an answer that shows nothing of now: a replayed one, a failed one. */
export function refuseAnswer({ live, succeeded }: TodoResultObservation): TodoResultRefusal | null {
  // Strictly `true`: in an untyped host a word such as 'false' is no vouching.
  if (!isTrue(live)) return 'not_live';
  return isTrue(succeeded) ? null : 'not_succeeded';
}

function isTrue(value: unknown): boolean {
  return value === true;
}

function isUsableId(id: unknown, charsMax: number): id is string {
  return typeof id === 'string' && id !== '' && id.length <= charsMax;
}
