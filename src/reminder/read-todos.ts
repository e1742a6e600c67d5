/** An unfinished Todo item, as far as a reminder needs it. */
export interface UnfinishedTodo {
  /** Any string at all; it is made harmless when it is rendered. */
  readonly content: string;
  readonly status: 'pending' | 'in_progress';
}

/**
 * Reads the items of a Todo result: `{ id, content, status }`, with extra keys allowed, as in the envelope of T2.
 *
 * Written out because lists may hold 100,000 items: one plain pass costs a thirtieth of a schema's (R6). Each property
 * is read once, so that a getter cannot answer two things.
 *
 * @param todos - an untrusted value of any kind.
 * @returns the unfinished items in the order of the list, copied; `null` when one item is malformed, which rejects the
 *   whole list. Never throws, and keeps no reference to the payload (T7).
 */
export function readUnfinishedTodos(todos: unknown): readonly UnfinishedTodo[] | null {
  try {
    if (!Array.isArray(todos)) return null;
    const unfinished: UnfinishedTodo[] = [];
    for (const todo of todos as readonly unknown[]) {
      if (typeof todo !== 'object' || todo === null) return null;
      if (!('id' in todo && 'content' in todo && 'status' in todo)) return null;
      const { id, content, status } = todo;
      if (typeof id !== 'string' || typeof content !== 'string') return null;
      if (status === 'pending' || status === 'in_progress') unfinished.push({ content, status });
      else if (status !== 'completed') return null;
    }
    return unfinished;
  } catch {
    // A getter or a proxy of the payload threw.
    return null;
  }
}
