import * as z from 'zod/mini';

/** The least that reads one object: what zod adds to an entry that has one. */
const reader = z.strictObject({ enabled: z.boolean() });

export function read(value: unknown): boolean {
  return z.safeParse(reader, value).success;
}
