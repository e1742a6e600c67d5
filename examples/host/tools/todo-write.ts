import * as z from 'zod';
import type { HostTool, ToolResult } from './tool.ts';
import { defineTool } from './tool.ts';

const Todo = z.strictObject({
  id: z.string(),
  // Invisible characters alone are blank too: the reminder leaves them out.
  content: z.string().refine((content) => /[^\s\p{Cc}\p{Cf}]/u.test(content), 'must not be blank'),
  status: z.enum(['pending', 'in_progress', 'completed']),
});

/** An item of a Todo list. */
export type Todo = z.output<typeof Todo>;

const TodoList = z.object({ type: z.literal('todo_list'), todos: z.array(Todo) });

/** The structured result of `todo_write` (T2). */
export type TodoList = z.output<typeof TodoList>;

/** The list in a result of `todo_write`; `null` when the call failed. */
export function readTodoList({ succeeded, structured }: ToolResult): TodoList | null {
  return succeeded ? (TodoList.safeParse(structured).data ?? null) : null;
}

/** Replaces the Todo list. The list is in the result and nowhere else: whoever wants it observes that (T1). */
export const todoWrite: HostTool = defineTool({
  name: 'todo_write',
  description:
    'Replace the Todo list of the current task. Send the whole list each time: every item with its id, content and status.',
  schema: z.strictObject({
    todos: z
      .array(Todo)
      .refine((todos) => new Set(todos.map(({ id }) => id)).size === todos.length, 'two items have the same id'),
  }),
  run: ({ todos }) => {
    const list: TodoList = { type: 'todo_list', todos };
    return { succeeded: true, text: JSON.stringify(list), structured: list };
  },
});
