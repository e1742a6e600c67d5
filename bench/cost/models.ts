import type { Todo } from '../todo-list.ts';

/** What a model is asked with. */
export interface Asked {
  readonly todos: readonly Todo[];
  /** `tool_results`: of its own calls; otherwise somebody wants it to work. */
  readonly by: 'user' | 'policy' | 'tool_results' | 'build' | 'answer';
}

/** One response: with a list, it is a tool call that writes it; without, the model ends by itself. */
export interface Response {
  readonly text: string;
  readonly todos?: readonly Todo[];
}

/** A simulated model, and what it waits for after its first stop. */
export interface SimulatedModel {
  readonly name: string;
  readonly items: number;
  /** Minutes after which the user answers the model's question, or the build that it has started ends. */
  readonly waitsFor?: { readonly what: 'answer' | 'build'; readonly minutes: number };
  respond(asked: Asked): Response;
}

const completed = (todos: readonly Todo[], howMany: number): Todo[] => {
  let left = howMany;
  return todos.map((todo) => (todo.status !== 'completed' && left-- > 0 ? { ...todo, status: 'completed' } : todo));
};

/** Writes its list when the user asks, and ends when its own results come back. Between the two, each is what it is. */
function model(
  name: string,
  items: number,
  whenContinued: (asked: Asked) => Response,
  waitsFor?: SimulatedModel['waitsFor'],
): SimulatedModel {
  return {
    name,
    items,
    ...(waitsFor !== undefined && { waitsFor }),
    respond: (asked) => {
      switch (asked.by) {
        case 'user':
          return { text: 'I have looked at the modules and made a plan.', todos: completed(asked.todos, 1) };
        case 'tool_results':
          return { text: 'The list is up to date. I stop here for now.' };
        case 'answer':
        case 'build':
          return { text: 'That was what I needed; all of it is done.', todos: completed(asked.todos, Infinity) };
        case 'policy':
          return whenContinued(asked);
      }
    },
  };
}

/** The five of the table. */
export const MODELS: readonly SimulatedModel[] = [
  model('stuck: cannot do what is left', 6, () => ({
    text: 'I tried again; the credentials are still refused, and I can do nothing about that from here.',
  })),
  model(
    'honest: waits for an answer of the user',
    6,
    () => ({ text: 'As I said: I need to know which of the two databases to migrate before I can go on.' }),
    { what: 'answer', minutes: 10 },
  ),
  model('lazy: one item for each push', 8, ({ todos }) => ({
    text: 'I have done the next step.',
    todos: completed(todos, 1),
  })),
  model(
    'waits for a build that it has started',
    6,
    () => ({ text: 'The build is still running; nothing to do yet.' }),
    {
      what: 'build',
      minutes: 20,
    },
  ),
  model('flips statuses: looks busy, does nothing', 6, ({ todos }) => ({
    text: 'Working on it.',
    todos: todos.map((todo) =>
      todo.status === 'completed' ? todo : { ...todo, status: todo.status === 'pending' ? 'in_progress' : 'pending' },
    ),
  })),
];
