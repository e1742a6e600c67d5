import assert from 'node:assert/strict';
import * as zod from 'zod';
import * as mini from 'zod/mini';
import { countUnfinished } from '../../src/todo-result.ts';
import { compare } from '../measure.ts';
import type { Ratio } from '../measure.ts';
import { EFFORT, linearity, report, sink } from '../row.ts';
import type { Row } from '../row.ts';
import { todoList } from '../todo-list.ts';

/** What a programmer writes who is sure of his types and has no getters to fear. */
function countByHand(result: unknown): number | null {
  const list = result as { type?: unknown; todos?: unknown } | null;
  if (typeof list !== 'object' || list?.type !== 'todo_list' || !Array.isArray(list.todos)) return null;
  let count = 0;
  for (const todo of list.todos as ({ id?: unknown; content?: unknown; status?: unknown } | null)[]) {
    if (typeof todo !== 'object' || todo === null) return null;
    if (typeof todo.id !== 'string' || typeof todo.content !== 'string') return null;
    if (todo.status === 'pending' || todo.status === 'in_progress') count++;
    else if (todo.status !== 'completed') return null;
  }
  return count;
}

const STATUSES = ['pending', 'in_progress', 'completed'] as const;
const classicSchema = zod.object({
  type: zod.literal('todo_list'),
  todos: zod.array(zod.object({ id: zod.string(), content: zod.string(), status: zod.enum(STATUSES) })),
});
const miniSchema = mini.object({
  type: mini.literal('todo_list'),
  todos: mini.array(mini.object({ id: mini.string(), content: mini.string(), status: mini.enum(STATUSES) })),
});
type Parsed = { success: boolean; data?: { todos: readonly { status: string }[] } | undefined };
const countParsed = ({ data }: Parsed): number | null =>
  data?.todos.filter(({ status }) => status !== 'completed').length ?? null;

const rows: Row[] = [];
const byHand: Ratio[] = [];
for (const items of [8, 1_000, 100_000]) {
  const result = { type: 'todo_list', todos: todoList(items) };
  const readers = {
    ours: () => countUnfinished(result),
    hand: () => countByHand(result),
    classic: () => countParsed(classicSchema.safeParse(result)),
    mini: () => countParsed(miniSchema.safeParse(result)),
  };
  for (const read of Object.values(readers)) assert.equal(read(), countByHand(result));
  const { ratio } = await compare(
    {
      ours: () => (sink.value = readers.ours()),
      hand: () => (sink.value = readers.hand()),
      classic: () => (sink.value = readers.classic()),
      mini: () => (sink.value = readers.mini()),
    },
    EFFORT,
  );
  const workload = `reading a Todo result of ${items.toLocaleString('en')} items`;
  rows.push(
    {
      workload,
      peer: 'a check by hand',
      figure: 'times the time',
      ratio: ratio('ours', 'hand'),
      ...(items <= 1_000 && { target: { atMost: 8 }, isHeadline: items === 8 }),
    },
    { workload, peer: '`zod`, used plainly', figure: 'times the time', ratio: ratio('ours', 'classic') },
    { workload, peer: '`zod/mini`, used plainly', figure: 'times the time', ratio: ratio('ours', 'mini') },
  );
  byHand.push(ratio('ours', 'hand'));
}
rows.push(linearity('reading 100,000 items against 1,000', 'a check by hand', byHand));
report(rows);
