/** An unfinished Todo item, as far as a reminder needs it. */
export interface UnfinishedTodo {
  /** Any string at all; it is made harmless when it is rendered. */
  readonly content: string;
  readonly status: 'pending' | 'in_progress';
}

/** The unfinished items of a list. */
export interface UnfinishedTodos {
  readonly count: number;
  /** The first of them, in the order of the list. */
  readonly first: readonly UnfinishedTodo[];
}

/** A list that was read. */
export interface ReadTodos extends UnfinishedTodos {
  /** No text in it has a lone surrogate. */
  readonly isWellFormed: boolean;
}

/** Far more than any model writes; a longer list is an attack on the host's time (T7). */
const ITEMS_MAX = 100_000;

/**
 * Reads the items of a Todo result: `{ id, content, status }` as properties of their own, with extra keys allowed (T2).
 *
 * Written out, since a schema would read on after the first bad item, would take inherited properties, and costs ten times
 * as much for a list of ordinary length (docs/measured.md). Each property is read once, so that a getter cannot answer
 * two things.
 *
 * @param todos - an untrusted value of any kind.
 * @param firstMax - of how many unfinished items a copy is wanted, from 0.
 * @returns the unfinished items; `null` when one item is malformed, which rejects the whole list, or when there
 *   are more than 100,000. Never throws, and keeps no reference to the payload (T7).
 */
export function readUnfinishedTodos(todos: unknown, firstMax: number): ReadTodos | null {
  try {
    if (!Array.isArray(todos)) return null;
    // Read once: the getters of a hostile list may let it grow.
    const { length } = todos;
    if (length > ITEMS_MAX) return null;
    const first: UnfinishedTodo[] = [];
    let count = 0;
    let isWellFormed = true;
    for (let index = 0; index < length; index++) {
      const todo: unknown = todos[index];
      if (!hasOwnFields(todo)) return null;
      const { id, content, status } = todo;
      if (typeof id !== 'string' || typeof content !== 'string') return null;
      isWellFormed &&= id.isWellFormed() && content.isWellFormed();
      if (status === 'completed') continue;
      if (status !== 'pending' && status !== 'in_progress') return null;
      count++;
      if (first.length < firstMax) first.push({ content, status });
    }
    return { count, first, isWellFormed };
  } catch {
    // A getter or a proxy of the payload threw.
    return null;
  }
}

/** Its fields, if any, are its own. Of a plain object the prototype tells as much, at a third of the cost. */
function hasOwnFields(todo: unknown): todo is { id: unknown; content: unknown; status: unknown } {
  if (typeof todo !== 'object' || todo === null) return false;
  const prototype: unknown = Object.getPrototypeOf(todo);
  return (
    prototype === Object.prototype ||
    prototype === null ||
    ['id', 'content', 'status'].every((field) => Object.hasOwn(todo, field))
  );
}
