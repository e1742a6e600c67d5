import * as z from 'zod/mini';

/** What came of reading a value that somebody else made. */
export type Reading<Value> =
  | { readonly ok: true; readonly value: Value }
  /** `field`: the first one that does not fit, as in `messages.2`; empty when it is the value as a whole. */
  | { readonly ok: false; readonly field: string };

/**
 * Reads a value against a schema and never throws, whatever the value does while it is read (a getter that throws,
 * a revoked proxy).
 *
 * @returns A copy of the value, or the field that does not fit.
 */
export function readUntrusted<Schema extends z.ZodMiniType>(schema: Schema, value: unknown): Reading<z.output<Schema>> {
  try {
    const parsed = z.safeParse(schema, value);
    if (parsed.success) return { ok: true, value: parsed.data };
    const [field = ''] = parsed.error.issues.map(({ path }) => path.join('.'));
    return { ok: false, field };
  } catch {
    return { ok: false, field: '' };
  }
}
