import type { UnfinishedTodo, UnfinishedTodos } from '../todo-items.ts';
import { cutBetweenGraphemes, singleLine } from './todo-text.ts';

/** The longest reminder that R6 allows, in UTF-16 units: about a thousand tokens with each tool turn. */
export const REMINDER_CHARS_MAX = 4_000;

/** No reminder has more lines: 4,000 units have room for 285 of the shortest. */
export const ITEMS_SHOWN_MAX = 300;

const HEAD = '<system-reminder>\nUnfinished items of your Todo list: ';
const TAIL =
  '\nThe host added this list; the user did not write it. Keep it current with todo_write as you work. One step that succeeded is not the end of the task: go on to the next open item.\n</system-reminder>';

/** Raw text that is read of one item. More can only be shown cut, and reading it would cost what it is long. */
const RAW_CHARS_MAX = 4 * REMINDER_CHARS_MAX;

/**
 * Renders a reminder: one tag around a short instruction and one line an item (R5, R6, R7).
 *
 * @param todos - the unfinished items, at least one; their text may be any string.
 * @param charsMax - the most that the whole reminder may be long, in UTF-16 units, the tag and the marker included.
 *   From 500 to {@link REMINDER_CHARS_MAX}; so the list in it keeps the bound of R6 as well.
 * @returns well-formed text. Items that do not fit are left out whole, and a last line `[truncated]` counts them; if not
 *   even the first one fits, it is shown cut, with `…` at its end.
 */
export function renderReminder(todos: UnfinishedTodos, charsMax: number): string {
  const head = `${HEAD}${todos.count}`;
  return `${head}${renderList(todos, charsMax - head.length - TAIL.length)}${TAIL}`;
}

/**
 * Whether a text is a reminder of this library, so that a request gets none twice (R8) and a host can strip it from
 * summaries and titles.
 *
 * @param text - one text part of a message: the reminder is a part of its own.
 */
export function isReminder(text: string): boolean {
  return text.startsWith(HEAD) && text.endsWith(TAIL);
}

/** At most `room` units; every line begins with its line break. Reads no further than the item that does not fit. */
function renderList({ count, first }: UnfinishedTodos, room: number): string {
  const all = wholeLines(first, room);
  if (all.length === count) return all.join('');
  // The marker that counts every item is the longest there can be.
  const roomBeforeMarker = room - marker(count).length;
  const some = wholeLines(first, roomBeforeMarker);
  const shown = some.length > 0 ? some : first.slice(0, 1).map((todo) => cutLine(todo, roomBeforeMarker));
  return shown.join('') + marker(count - shown.length);
}

/** The lines of the first items, as many as fit whole. */
function wholeLines(todos: readonly UnfinishedTodo[], room: number): readonly string[] {
  const lines: string[] = [];
  let left = room;
  for (const todo of todos) {
    // An overlong text is not read: it cannot fit.
    if (todo.content.length > RAW_CHARS_MAX) break;
    const next = line(todo, singleLine(todo.content));
    left -= next.length;
    if (left < 0) break;
    lines.push(next);
  }
  return lines;
}

function cutLine(todo: UnfinishedTodo, room: number): string {
  const text = singleLine(cutBetweenGraphemes(todo.content, RAW_CHARS_MAX));
  return line(todo, `${cutBetweenGraphemes(text, room - line(todo, '…').length)}…`);
}

function line({ status }: UnfinishedTodo, text: string): string {
  return `\n- [${status}] ${text}`;
}

function marker(leftOut: number): string {
  return `\n[truncated] ${leftOut} more item(s) left out`;
}
