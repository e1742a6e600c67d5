import type { Todo } from '../todo-list.ts';

/** What a policy may know at a natural stop with open items. */
export interface AtStop {
  readonly todos: readonly Todo[];
}

/** Decides at each natural stop with open items: go on after so many seconds, or stop. One is made for each request of the user's. */
export type Policy = (stop: AtStop) => { readonly delaySeconds: number } | null;

const AT_ONCE = { delaySeconds: 0 };
const unfinished = (todos: readonly Todo[]): number => todos.filter(({ status }) => status !== 'completed').length;

/** The policies that the field ships. */
export const POLICIES: Readonly<Record<string, () => Policy>> = {
  'no guard': () => () => null,
  'unbounded until done': () => () => AT_ONCE,
  'stop after three without change': () => {
    let last = '';
    let unchanged = 0;
    return ({ todos }) => {
      const now = JSON.stringify(todos);
      unchanged = now === last ? unchanged + 1 : 0;
      last = now;
      return unchanged < 3 ? AT_ONCE : null;
    };
  },
  'fifty per request': () => {
    let continued = 0;
    return () => (continued++ < 50 ? AT_ONCE : null);
  },
  'cooldown with back-off': () => {
    let last = Infinity;
    let delaySeconds = 30;
    return ({ todos }) => {
      delaySeconds = unfinished(todos) < last ? 30 : Math.min(delaySeconds * 2, 960);
      last = unfinished(todos);
      return { delaySeconds };
    };
  },
};
