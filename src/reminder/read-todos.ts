/** An unfinished Todo item, as far as a reminder needs it. */
export interface UnfinishedTodo {
  /** Any string at all; it is made harmless when it is rendered. */
  readonly content: string;
  readonly status: 'pending' | 'in_progress';
}

/** The unfinished items of a list. */
export interface UnfinishedTodos {
  readonly count: number;
  /** The first of them, in the order of the list: as many as a reminder can have lines, and more than it can. */
  readonly first: readonly UnfinishedTodo[];
}

/** A reminder of 4,000 units has room for 285 of the shortest lines. */
const FIRST_MAX = 300;

/**
 * Reads the items of a Todo result: `{ id, content, status }`, with extra keys allowed, as in the envelope of T2.
 *
 * Written out because lists may hold 100,000 items: one plain pass costs a small part of a schema's (R6). Each property
 * is read once, so that a getter cannot answer two things.
 *
 * @param todos - an untrusted value of any kind.
 * @returns the unfinished items, copied; `null` when one item is malformed, which rejects the whole list. Never throws,
 *   and keeps no reference to the payload (T7).
 */
export function readUnfinishedTodos(todos: unknown): UnfinishedTodos | null {
  try {
    if (!Array.isArray(todos)) return null;
    const first: UnfinishedTodo[] = [];
    let count = 0;
    for (const todo of todos as readonly unknown[]) {
      if (typeof todo !== 'object' || todo === null) return null;
      if (!('id' in todo && 'content' in todo && 'status' in todo)) return null;
      const { id, content, status } = todo;
      if (typeof id !== 'string' || typeof content !== 'string') return null;
      if (status === 'completed') continue;
      if (status !== 'pending' && status !== 'in_progress') return null;
      count++;
      if (first.length < FIRST_MAX) first.push({ content, status });
    }
    return { count, first };
  } catch {
    // A getter or a proxy of the payload threw.
    return null;
  }
}
