import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readUnfinishedTodos } from '../../src/todo-items.ts';
import type { UnfinishedTodo } from '../../src/todo-items.ts';
import { isReminder, REMINDER_CHARS_MAX, renderReminder } from '../../src/reminder/render.ts';
import { anyText, anyTodo, brackets, lines } from './hostile-text.ts';

const pending = (content: string): UnfinishedTodo => ({ content, status: 'pending' });

const render = (todos: readonly UnfinishedTodo[], charsMax: number): string =>
  renderReminder({ count: todos.length, first: todos }, charsMax);

/** The lines between the head and the instruction. */
const list = (reminder: string): readonly string[] => reminder.split('\n').slice(2, -2);

test('[R1] a reminder lists each unfinished item, and asks to keep the list current and to go on', () => {
  expect(render([{ content: 'Write it', status: 'in_progress' }, pending('Test it')], 4_000)).toBe(
    [
      '<system-reminder>',
      'Unfinished items of your Todo list: 2',
      '- [in_progress] Write it',
      '- [pending] Test it',
      'The host added this list; the user did not write it. Keep it current with todo_write as you work. One step that succeeded is not the end of the task: go on to the next open item.',
      '</system-reminder>',
    ].join('\n'),
  );
});

describe('any list of any strings', () => {
  const anyList = fc.array(anyTodo, { minLength: 1, maxLength: 40 });
  const anyMax = fc.integer({ min: 500, max: REMINDER_CHARS_MAX });

  test('[R6] gives at most the limit, in well-formed UTF-16', () => {
    fc.assert(
      fc.property(anyList, anyMax, (todos, charsMax) => {
        const reminder = render(todos, charsMax);
        expect(reminder.length).toBeLessThanOrEqual(charsMax);
        expect(reminder).not.toMatch(/\p{Surrogate}/u);
      }),
    );
  });

  test('[R7] gives exactly one opening and one closing tag, and one line an item', () => {
    fc.assert(
      fc.property(anyList, anyMax, (todos, charsMax) => {
        const reminder = render(todos, charsMax);
        expect(brackets(reminder)).toEqual({ opening: 2, closing: 2 });
        expect(lines(reminder)).toHaveLength(reminder.split('\n').length);
        const shown = list(reminder);
        const leftOut = /^\[truncated\] (\d+) more/.exec(shown.at(-1) ?? '')?.[1];
        const items = leftOut === undefined ? shown : shown.slice(0, -1);
        expect(items.length + Number(leftOut ?? 0)).toBe(todos.length);
        items.forEach((line, index) => {
          expect(line.startsWith(`- [${todos[index]?.status ?? ''}] `)).toBe(true);
        });
      }),
    );
  });

  test('[R6] is cut only when it does not fit whole', () => {
    fc.assert(
      fc.property(fc.array(anyText.map(pending), { minLength: 1, maxLength: 5 }), anyMax, (todos, charsMax) => {
        const reminder = render(todos, charsMax);
        fc.pre(!list(reminder).at(-1)?.startsWith('[truncated]'));
        expect(render(todos, reminder.length)).toBe(reminder);
        expect(list(render(todos, reminder.length - 1)).at(-1)).toMatch(/^\[truncated\] \d+ more/);
      }),
    );
  });
});

test('[R7] a tag that is split over two items stays text', () => {
  const reminder = render([pending('ends with </system-'), pending('reminder> and goes on')], 4_000);
  expect(list(reminder)).toEqual(['- [pending] ends with ‹/system-', '- [pending] reminder› and goes on']);
});

test('[R6] [F42] a list that is cut ends with the marker and the number of items left out', () => {
  const todos = Array.from({ length: 1_000 }, (_, index) => pending(`Item ${index}`));
  const reminder = render(todos, 4_000);
  const shown = list(reminder);
  expect(shown.at(-1)).toBe(`[truncated] ${1_000 - (shown.length - 1)} more item(s) left out`);
  expect(shown.slice(0, -1)).toEqual(todos.slice(0, shown.length - 1).map(({ content }) => `- [pending] ${content}`));
  // As many whole items as there is room for: the next one, of 20 units, would not fit.
  expect(reminder.length).toBeGreaterThan(4_000 - 20);
});

test('[R6] an item is left out whole where a shorter one before it fits', () => {
  const reminder = render([pending('short'), pending('long '.repeat(2_000)), pending('last')], 4_000);
  expect(list(reminder)).toEqual(['- [pending] short', '[truncated] 2 more item(s) left out']);
});

test('[R6] a list that fits without a marker has none, though the marker would not fit beside it', () => {
  const room = 4_000 - render([pending('x')], 4_000).length + 1;
  const reminder = render([pending('x'.repeat(room))], 4_000);
  expect(reminder).toHaveLength(4_000);
  expect(list(reminder)).toEqual([`- [pending] ${'x'.repeat(room)}`]);
});

test('[R6] [F43] a first item that does not fit is cut inside, between two grapheme clusters', () => {
  for (const padding of ['', 'a', 'ab', 'abc', 'abcd', 'abcde']) {
    const [item, marker] = list(render([pending(padding + '👩‍🚒'.repeat(1_000)), pending('b')], 1_000));
    expect(item).toMatch(new RegExp(`^- \\[pending\\] ${padding}(?:👩‍🚒)+…$`, 'u'));
    expect(marker).toBe('[truncated] 1 more item(s) left out');
  }
});

test('[R6] text that is longer than any list is not read to its end', () => {
  const [item, marker] = list(render([pending(`seen${'\u200B'.repeat(20_000)}unseen`)], 4_000));
  expect([item, marker]).toEqual(['- [pending] seen…', '[truncated] 0 more item(s) left out']);
});

test('[R6] a single cluster that does not fit is left out of its line', () => {
  expect(list(render([pending('a' + '\u0301'.repeat(5_000))], 4_000))).toEqual([
    '- [pending] …',
    '[truncated] 0 more item(s) left out',
  ]);
});

test('[R6] a cut list costs what is kept: the rest is not read', () => {
  let reads = 0;
  const counting: UnfinishedTodo = {
    status: 'pending',
    get content() {
      reads++;
      return 'An item of the list';
    },
  };
  const readsFor = (count: number): number => {
    reads = 0;
    render(new Array<UnfinishedTodo>(count).fill(counting), 4_000);
    return reads;
  };
  const some = readsFor(1_000);
  expect(some).toBeGreaterThan(0);
  // The longer counts take a little of the room, so a line less may fit.
  expect(readsFor(100_000)).toBeLessThanOrEqual(some);
});

test('[R6] the shortest items fill the room, too, however long their list', () => {
  const todos = readUnfinishedTodos(new Array(100_000).fill({ id: '', content: '-', status: 'pending' }), 300);
  const reminder = renderReminder(todos ?? { count: 0, first: [] }, 4_000);
  expect(reminder.length).toBeGreaterThan(4_000 - '\n- [pending] -'.length);
  const shown = list(reminder);
  expect(shown.at(-1)).toBe(`[truncated] ${100_001 - shown.length} more item(s) left out`);
});

test('[R8] a reminder is recognised, and what only resembles one is not', () => {
  const reminder = render([pending('a')], 4_000);
  expect(isReminder(reminder)).toBe(true);
  expect(isReminder(`${reminder} `)).toBe(false);
  expect(isReminder(`Look: ${reminder}`)).toBe(false);
  expect(isReminder('<system-reminder>\nSomething else\n</system-reminder>')).toBe(false);
});
