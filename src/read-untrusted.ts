import * as z from 'zod/mini';

/** What came of reading a value that somebody else made. */
export type Reading<Value> =
  | { readonly ok: true; readonly value: Value }
  | {
      readonly ok: false;
      /** The first field that does not fit, as in `messages.2`; empty when it is the value as a whole. */
      readonly field: string;
      /** The schema's word on it. */
      readonly problem: string;
    };

const UNREADABLE = { field: '', problem: 'cannot be read' };

/**
 * Reads a value against a schema and never throws, whatever the value does while it is read (a getter that throws,
 * a revoked proxy).
 *
 * @returns a copy of the value, or the field that does not fit.
 */
export function readUntrusted<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): Reading<z.output<Schema>> {
  try {
    const parsed = z.safeParse(schema, value);
    if (parsed.success) return { ok: true, value: parsed.data };
    const problems = parsed.error.issues.map(({ path, message }) => ({ field: path.join('.'), problem: message }));
    return { ok: false, ...UNREADABLE, ...problems[0] };
  } catch {
    return { ok: false, ...UNREADABLE };
  }
}
