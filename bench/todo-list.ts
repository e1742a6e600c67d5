/** A Todo item as a host's tool returns it. */
export interface Todo {
  readonly id: string;
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
}

/** A list whose first item is in progress and whose others are pending, but for each third, which is completed. */
export function todoList(items: number): Todo[] {
  return Array.from({ length: items }, (_, index) => ({
    id: String(index + 1),
    content: `Step ${index + 1}: move the parser of module ${index % 17} to the new interface`,
    status: index === 0 ? 'in_progress' : index % 3 === 2 ? 'completed' : 'pending',
  }));
}
