import { ActiveTodoReminderStore } from '../../src/reminder/store.ts';
import { compare } from '../measure.ts';
import { EFFORT, report, sink } from '../row.ts';
import type { Row } from '../row.ts';
import { todoList } from '../todo-list.ts';

const rows: Row[] = [];
const REMINDER_CHARS = 4_000;

for (const items of [10, 1_000, 100_000]) {
  const todos = todoList(items);
  const store = new ActiveTodoReminderStore();
  store.startChain('p1');
  const { ratio } = await compare(
    {
      ours: () => {
        store.update('p1', todos);
        sink.value = store.take('p1');
      },
      json: () => {
        sink.value = JSON.stringify(todos.filter(({ status }) => status !== 'completed')).slice(0, REMINDER_CHARS);
      },
    },
    EFFORT,
  );
  rows.push({
    workload: `reminder: update and take, ${items.toLocaleString('en')} items`,
    peer: '`JSON.stringify` and `slice`',
    figure: 'times the time',
    ratio: ratio('ours', 'json'),
  });
}

const afterPrompts = (prompts: number): (() => void) => {
  const store = new ActiveTodoReminderStore();
  const todos = todoList(10);
  for (let prompt = 0; prompt < prompts; prompt++) {
    store.startChain(`p${prompt}`);
    if (prompt % 100 === 0) store.update(`p${prompt}`, todos);
  }
  const current = `p${prompts - 1}`;
  return () => {
    store.update(current, todos);
    sink.value = store.take(current);
  };
};
const prompts = await compare({ one: afterPrompts(1), many: afterPrompts(100_000) }, EFFORT);
rows.push({
  workload: 'reminder: update and take, after 100,000 prompts',
  peer: 'the same after one prompt',
  figure: 'times the time',
  ratio: prompts.ratio('many', 'one'),
  target: { atMost: 1.25 },
  isHeadline: true,
});

// At the limit: the longest list that fits whole, and the same with one item more, which has to be cut.
const fits = longestWhole();
const updating = (items: number): (() => void) => {
  const store = new ActiveTodoReminderStore();
  const todos = todoList(items);
  return () => (sink.value = store.update('p1', todos));
};
const cut = await compare({ whole: updating(fits), cut: updating(fits + 2) }, EFFORT);
rows.push({
  workload: `reminder: a list that has to be cut (${fits + 2} items)`,
  peer: `the longest one that fits whole (${fits})`,
  figure: 'times the time',
  ratio: cut.ratio('cut', 'whole'),
  target: { atMost: 3 },
});
report(rows);

function longestWhole(): number {
  const store = new ActiveTodoReminderStore();
  for (let items = 1; ; items++) {
    store.update('p1', todoList(items));
    if (store.take('p1')?.includes('[truncated]') === true) return items - 1;
  }
}
