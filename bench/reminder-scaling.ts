/**
 * What a cut list costs (R6): a list of 100,000 items against one of 1,000, in one run. The cut list costs what is kept,
 * plus one pass to count; both are printed, so that a slow pass cannot hide behind a fast cut.
 */
import { performance } from 'node:perf_hooks';
import { readUnfinishedTodos } from '../src/todo-items.ts';
import { renderReminder } from '../src/reminder/render.ts';
import { ActiveTodoReminderStore } from '../src/reminder/store.ts';

const ROUNDS = 60;
const FEW = 1_000;
const MANY = 100_000;

const list = (length: number): readonly object[] =>
  Array.from({ length }, (_, index) => ({ id: `${index}`, content: `Write chapter ${index}`, status: 'pending' }));

/** The median of many runs: a collection of garbage in one of them is not the list's cost. */
function millisecondsOf(work: () => void): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return times.toSorted((a, b) => a - b)[ROUNDS / 2] ?? NaN;
}

function compare(name: string, workOn: (todos: readonly object[]) => () => void): void {
  const few = millisecondsOf(workOn(list(FEW)));
  const many = millisecondsOf(workOn(list(MANY)));
  const ratio = (many / few).toFixed(1);
  console.log(`${name}: ${FEW} items ${few.toFixed(3)} ms, ${MANY} items ${many.toFixed(3)} ms, ratio ${ratio}`);
}

compare('render', (todos) => {
  const unfinished = readUnfinishedTodos(todos, 300) ?? { count: 0, first: [] };
  return () => renderReminder(unfinished, 4_000);
});
compare('update and take', (todos) => {
  const store = new ActiveTodoReminderStore();
  return () => {
    store.update('prompt', todos);
    store.take('prompt');
  };
});
