import { DaemonTodoStopGuard } from 'todo-stop-guard';
import type { BackgroundSnapshot, GuardOptions, TodoResultObservation } from 'todo-stop-guard';

/** The setting that turns a guard on (G1). */
export const ON: GuardOptions = { settings: { experimental: { todoStopGuard: true } } };

/** No background work at all. */
export const NO_BACKGROUND: BackgroundSnapshot = { tasks: [], notifications: [] };

/** A list with this many unfinished items and one that is completed. */
export function todoList(unfinishedCount: number): unknown {
  return {
    type: 'todo_list',
    todos: [
      { id: 'done', content: 'read the code', status: 'completed' },
      ...Array.from({ length: unfinishedCount }, (_, index) => ({
        id: String(index),
        content: `step ${index}`,
        status: index % 2 === 0 ? 'pending' : 'in_progress',
      })),
    ],
  };
}

/** A live, successful, top-level result of the host's own tool, unless said otherwise. */
export function observed(changes: Partial<TodoResultObservation> = {}): TodoResultObservation {
  return {
    turn: 'one',
    callId: 'call-1',
    tool: 'native',
    scope: 'top_level',
    live: true,
    succeeded: true,
    result: todoList(2),
    ...changes,
  };
}

/** A guard whose turn `one` runs for a prompt of the user. */
export function guardInTurn(options: GuardOptions = ON): DaemonTodoStopGuard {
  const guard = new DaemonTodoStopGuard(options);
  guard.tell({ type: 'prompt_started', turn: 'one', origin: 'user', background: NO_BACKGROUND });
  return guard;
}

/** The same with a list of two unfinished items. */
export function armedGuard(options: GuardOptions = ON): DaemonTodoStopGuard {
  const guard = guardInTurn(options);
  guard.observeTodoResult(observed({ callId: 'armed' }));
  return guard;
}
