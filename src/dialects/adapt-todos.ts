import { readUntrusted } from '../read-untrusted.ts';
import { DIALECT_SHAPES } from './shapes.ts';
import type { DialectItem, TodoDialect } from './shapes.ts';

/** The envelope that the guard reads (T2). */
export interface TodoEnvelope {
  readonly type: 'todo_list';
  readonly todos: readonly {
    readonly id: string;
    readonly content: string;
    readonly status: 'pending' | 'in_progress' | 'completed';
  }[];
}

/** What came of adapting a list. */
export type AdaptedTodos =
  | {
      readonly ok: true;
      readonly envelope: TodoEnvelope;
      /** Items that are not in the envelope, since they are neither unfinished nor completed. */
      readonly leftOut: { readonly cancelled: number; readonly blocked: number };
    }
  | {
      readonly ok: false;
      /** `unknown_status`: a word that the project does not publish. `other_shape`: anything else. */
      readonly reason: 'unknown_status' | 'other_shape';
      /** The first field that does not fit, as in `todos.2.status`; empty for the value as a whole. */
      readonly field: string;
    };

/**
 * Turns what another host emits into the envelope of the guard (T2). It changes the shape and nothing else: whether
 * the list may arm the guard is still the host's word, given with the observation (T1).
 *
 * An item without an id gets its position in the list, from 1. One bad item refuses the whole list.
 *
 * @param dialect - whose shape the value has; it is never guessed from the value.
 * @param value - untrusted, of any kind, parsed already: a JSON string is not a list. Reading it never throws (T7).
 * @returns the envelope, or where the value departs from the shape. A refusal holds no Todo text (T4).
 * @throws TypeError if there is no such dialect.
 */
export function adaptTodos(dialect: TodoDialect, value: unknown): AdaptedTodos {
  if (!Object.hasOwn(DIALECT_SHAPES, dialect)) {
    const known = Object.keys(DIALECT_SHAPES).join(', ');
    throw new TypeError(`dialect must be one of ${known}, not ${JSON.stringify(dialect)}`);
  }
  const reading = readUntrusted(DIALECT_SHAPES[dialect], value);
  if (reading.ok) return toEnvelope(reading.value);
  const { field } = reading;
  return { ok: false, reason: field.endsWith('.status') ? 'unknown_status' : 'other_shape', field };
}

function toEnvelope(items: readonly DialectItem[]): AdaptedTodos {
  const todos: TodoEnvelope['todos'][number][] = [];
  const leftOut = { cancelled: 0, blocked: 0 };
  for (const [index, { id, content, status }] of items.entries()) {
    if (status === 'cancelled' || status === 'blocked') leftOut[status] += 1;
    else todos.push({ id: String(id ?? index + 1), content, status });
  }
  return { ok: true, envelope: { type: 'todo_list', todos }, leftOut };
}
