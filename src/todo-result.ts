import { readUnfinishedTodos } from './reminder/read-todos.ts';
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
  /** It was replayed or restored. */
  | 'not_live'
  /** The call failed. */
  | 'not_succeeded'
  /** The turn's id or the call's id is empty, too long, or no string. */
  | 'unusable_id'
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
 * Written out like the reader of the items, since a schema's envelope alone takes ten times as long as the whole of a
 * short list (docs/measured.md). Each property is read once.
 *
 * @param result - an untrusted value of any kind.
 * @returns how many items are pending or in progress; `null` when it is not `{ type: 'todo_list', todos }` with string
 * `id` and `content` and a known `status` in every item. Extra keys are allowed. Never throws (T7).
 */
export function countUnfinished(result: unknown): number | null {
  try {
    if (typeof result !== 'object' || result === null) return null;
    if (!('type' in result && 'todos' in result) || result.type !== 'todo_list') return null;
    return readUnfinishedTodos(result.todos)?.count ?? null;
  } catch {
    // A getter or a proxy of the payload threw.
    return null;
  }
}

const CALL_ID_CHARS_MAX = 1_024;

/** What the host's word is worth: `null` when it vouches for a live, successful, top-level result of its own tool. */
export function refuseProvenance(observation: TodoResultObservation): TodoResultRefusal | null {
  const { turn, callId, tool, scope, live, succeeded } = observation;
  if (tool !== 'native') return 'not_native';
  if (scope !== 'top_level') return 'not_top_level';
  // Strictly `true`: in an untyped host a word such as 'false' is no vouching.
  if (!isTrue(live)) return 'not_live';
  if (!isTrue(succeeded)) return 'not_succeeded';
  return isUsableId(turn, Infinity) && isUsableId(callId, CALL_ID_CHARS_MAX) ? null : 'unusable_id';
}

function isTrue(value: unknown): boolean {
  return value === true;
}

function isUsableId(id: unknown, charsMax: number): id is string {
  return typeof id === 'string' && id !== '' && id.length <= charsMax;
}
