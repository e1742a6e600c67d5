import { expect, test } from 'vitest';
import type { ReadTodos } from '../src/todo-items.ts';
import { readUnfinishedTodos as readTodos } from '../src/todo-items.ts';

function readUnfinishedTodos(todos: unknown): ReadTodos | null {
  return readTodos(todos, 300);
}

test('[R5] only unfinished items are read, in their order', () => {
  expect(
    readUnfinishedTodos([
      { id: '1', content: 'done', status: 'completed' },
      { id: '2', content: 'now', status: 'in_progress', extra: true },
      { id: '3', content: 'later', status: 'pending' },
    ]),
  ).toEqual({
    count: 2,
    first: [
      { content: 'now', status: 'in_progress' },
      { content: 'later', status: 'pending' },
    ],
    isWellFormed: true,
  });
});

const good = { id: '1', content: 'a', status: 'pending' };

test.each([
  ['no list', undefined],
  ['null', null],
  ['text', JSON.stringify([good])],
  ['the envelope', { type: 'todo_list', todos: [good] }],
  ['a hole', [good, , good]], // eslint-disable-line no-sparse-arrays
  ['null for an item', [good, null]],
  ['text for an item', [good, 'a']],
  ['a number for an id', [good, { ...good, id: 1 }]],
  ['no id', [good, { content: 'a', status: 'pending' }]],
  ['a title for the content', [good, { id: '1', title: 'a', status: 'pending' }]],
  ['a number for the content', [good, { ...good, content: 1 }]],
  ['no status', [good, { id: '1', content: 'a' }]],
  ['cancelled', [good, { ...good, status: 'cancelled' }]],
  ['blocked', [good, { ...good, status: 'blocked' }]],
  ['done', [good, { ...good, status: 'done' }]],
])('[T2] [F47] %s rejects the whole list', (_, todos) => {
  expect(readUnfinishedTodos(todos)).toBeNull();
});

const throwing = {
  get content(): string {
    throw new Error('read');
  },
  id: '1',
  status: 'pending',
};
const { proxy: revoked, revoke } = Proxy.revocable([], {});
revoke();
const cycle: unknown[] = [];
cycle.push(cycle);

test.each([
  ['a getter that throws', [throwing]],
  ['a revoked proxy', revoked],
  ['a cycle', cycle],
])('[T7] %s neither throws nor passes', (_, todos) => {
  expect(readUnfinishedTodos(todos)).toBeNull();
});

test('[T7] each property is read once, so that a getter cannot answer two things', () => {
  let reads = 0;
  const changing = {
    id: '1',
    status: 'pending',
    get content() {
      return ++reads === 1 ? 'first' : 2;
    },
  };
  expect(readUnfinishedTodos([changing])?.first).toEqual([{ content: 'first', status: 'pending' }]);
  expect(reads).toBe(1);
});

test('[T7] no reference to the payload is kept', () => {
  expect(readUnfinishedTodos([good])?.first[0]).not.toBe(good);
});

test('[R6] of a long list all items are counted and checked, and only those that may be shown are kept', () => {
  const long = new Array<unknown>(100_000).fill(good);
  const unfinished = readUnfinishedTodos(long);
  expect([unfinished?.count, unfinished?.first.length]).toEqual([100_000, 300]);
  expect(readUnfinishedTodos([...long, null])).toBeNull();
});

test.each<[string, unknown]>([
  ['an item whose fields are inherited', [good, Object.create(good) as unknown]],
  ['an item whose fields are in `__proto__`', [good, JSON.parse('{"__proto__":{"id":"1"}}') as unknown]],
  ...(['id', 'content', 'status'] as const).map((field): [string, unknown] => {
    const { [field]: inherited, ...own } = good;
    const prototype = { [field]: inherited };
    return [`an item that inherits its ${field}`, [Object.assign(Object.create(prototype) as object, own)]];
  }),
  ['an id that only looks like a text', [{ ...good, id: { isWellFormed: () => true } }]],
  ['a million items', Array.from({ length: 1_000_000 }, () => good)],
  ['a list that claims to be endless', new Array(2 ** 32 - 1)],
])('[T7] %s rejects the whole list', (_, todos) => {
  expect(readUnfinishedTodos(todos)).toBeNull();
});

test('[T7] a list of 100,000 items is read, and one more is too many', () => {
  const todos = Array.from({ length: 100_000 }, () => good);
  expect(readUnfinishedTodos(todos)?.count).toBe(100_000);
  expect(readUnfinishedTodos([...todos, good])).toBeNull();
});

test('[T7] a list that grows while it is read is read as long as it was', () => {
  const todos: object[] = [];
  const growing = {
    ...good,
    get content() {
      todos.push(growing);
      return 'more';
    },
  };
  todos.push(Object.defineProperty({ ...good }, 'content', { get: () => growing.content }));
  expect(readUnfinishedTodos(todos)?.count).toBe(1);
});

test.each([
  ['the id', { ...good, id: '\ud800' }],
  ['the content', { ...good, content: 'a\udfff' }],
  ['the content of a completed item', { ...good, content: '\ud83d', status: 'completed' }],
])('[T7] a lone surrogate in %s is seen', (_, todo) => {
  expect(readUnfinishedTodos([good, todo, good])?.isWellFormed).toBe(false);
  expect(readUnfinishedTodos([good, { ...good, content: '\ud83d\ude00' }])?.isWellFormed).toBe(true);
});

test('[T4] no more of a list is copied than is wanted, and all of it is counted', () => {
  expect(readTodos([good, good, good], 2)?.first).toHaveLength(2);
  expect(readTodos([good, good, good], 0)).toEqual({ count: 3, first: [], isWellFormed: true });
});

test('[T2] an item of a class is an item, if its fields are its own', () => {
  class Item {
    id = '1';
    content = 'a';
    status = 'pending';
  }
  expect(readUnfinishedTodos([new Item()])?.count).toBe(1);
});
