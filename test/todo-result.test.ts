import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countUnfinished } from '../src/todo-result.ts';

const item = { id: '1', content: 'write the tests', status: 'pending' };

function listOf(...todos: readonly unknown[]): unknown {
  return { type: 'todo_list', todos };
}

describe('the envelope', () => {
  it.each<[string, unknown, number]>([
    ['an empty list', listOf(), 0],
    ['every status', listOf(item, { ...item, status: 'in_progress' }, { ...item, status: 'completed' }), 2],
    ['equal ids and empty texts', listOf({ id: '', content: '', status: 'pending' }, item, item), 3],
    ['extra keys on the items', listOf({ ...item, priority: 'high', activeForm: null }), 1],
    ['extra keys on the envelope', { type: 'todo_list', todos: [item], version: 2 }, 1],
    ['no prototype', Object.assign(Object.create(null) as object, { type: 'todo_list', todos: [item] }), 1],
    ['frozen objects', Object.freeze({ type: 'todo_list', todos: Object.freeze([Object.freeze(item)]) }), 1],
  ])('[T2] is counted: %s', (_, result, unfinishedCount) => {
    expect(countUnfinished(result)).toBe(unfinishedCount);
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['undefined', undefined],
    ['a number', 3],
    ['true', true],
    ['an empty string', ''],
    ['a JSON string of it', JSON.stringify(listOf(item))],
    ['an object without anything', {}],
    ['the bare items', [item]],
    ['an array that holds it', [listOf(item)]],
    ['another type', { type: 'todos', todos: [item] }],
    ['the type in capitals', { type: 'TODO_LIST', todos: [item] }],
    ['no type', { todos: [item] }],
    ['no list', { type: 'todo_list' }],
    ['null for the list', { type: 'todo_list', todos: null }],
    ['an object for the list', { type: 'todo_list', todos: { 0: item, length: 1 } }],
    ['a string for the list', { type: 'todo_list', todos: JSON.stringify([item]) }],
    ['a set for the list', { type: 'todo_list', todos: new Set([item]) }],
    ['the list under another name', { type: 'todo_list', items: [item] }],
    ['an item that is null', listOf(item, null)],
    ['an item that is a string', listOf('write the tests')],
    ['an item that is an array', listOf(['1', 'x', 'pending'])],
    ['a hole for an item', { type: 'todo_list', todos: [item, , item] }], // eslint-disable-line no-sparse-arrays
    ['[F47] a numeric id', listOf({ ...item, id: 1 })],
    ['[F47] a missing id', listOf({ content: 'x', status: 'pending' })],
    ['[F47] the status cancelled', listOf({ ...item, status: 'cancelled' })],
    ['[F47] the status blocked', listOf({ ...item, status: 'blocked' })],
    ['[F47] the status done', listOf({ ...item, status: 'done' })],
    ['[F47] a title for the content', listOf({ id: '1', title: 'x', status: 'pending' })],
    ['a status with a hyphen', listOf({ ...item, status: 'in-progress' })],
    ['a status in capitals', listOf({ ...item, status: 'Pending' })],
    ['a status with a space', listOf({ ...item, status: 'pending ' })],
    ['no status', listOf({ id: '1', content: 'x' })],
    ['a status that is a list', listOf({ ...item, status: ['pending'] })],
    ['a status from the prototypes', listOf({ ...item, status: 'toString' })],
    ['null for the content', listOf({ ...item, content: null })],
    ['a number for the content', listOf({ ...item, content: 5 })],
    ['[T7] a text with a lone surrogate', listOf({ ...item, content: 'a\ud800' })],
    ['[T7] an envelope in its `__proto__`', { __proto__: listOf(item) }],
    ['[T7] an inherited envelope', Object.create(listOf(item) as object)],
    ['[T7] an inherited list', Object.assign(Object.create({ todos: [item] }) as object, { type: 'todo_list' })],
    ['[T7] a million items', { type: 'todo_list', todos: Array.from({ length: 1_000_000 }, () => item) }],
    ['a string object for the content', listOf({ ...item, content: Object('x') as unknown })],
    ['one bad item among good ones', listOf(item, item, { ...item, id: null }, item)],
  ])('[T2] is not %s', (_, result) => {
    expect(countUnfinished(result)).toBeNull();
  });

  it('[T2] counts what it should for any list, and one bad item rejects it whole', () => {
    const status = fc.constantFrom('pending', 'in_progress', 'completed');
    const anyItem = fc.record({ id: fc.string(), content: fc.string(), status });
    const notAnItem = fc
      .oneof(fc.anything(), fc.record({ id: fc.string(), content: fc.string(), status: fc.string() }))
      .filter((value) => countUnfinished(listOf(value)) === null);
    fc.assert(
      fc.property(fc.array(anyItem), notAnItem, fc.nat(), (items, bad, position) => {
        expect(countUnfinished(listOf(...items))).toBe(items.filter((todo) => todo.status !== 'completed').length);
        const at = position % (items.length + 1);
        expect(countUnfinished(listOf(...items.slice(0, at), bad, ...items.slice(at)))).toBeNull();
      }),
    );
  });

  it('[T7] never throws, whatever the value', () => {
    fc.assert(
      fc.property(
        fc.anything({ withNullPrototype: true, withSparseArray: true, withBigInt: true, withMap: true }),
        (value) => {
          const count = countUnfinished(value);
          expect(count === null || count >= 0).toBe(true);
        },
      ),
    );
  });
});
