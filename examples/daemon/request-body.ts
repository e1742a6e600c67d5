import type { Context } from 'hono';
import type * as z from 'zod';
import { Refusal } from './refusal.ts';

/** Bodies past this are refused; a prompt of a megabyte is no prompt. */
export const BODY_BYTES_MAX = 1_048_576;

/**
 * Reads a JSON body.
 *
 * @throws Refusal that names the field that does not fit, and what was expected. A body of another type than JSON is
 *   refused too: a page of another origin cannot send JSON without asking first.
 */
export async function readBody<Schema extends z.ZodType>(context: Context, schema: Schema): Promise<z.output<Schema>> {
  const type = context.req.header('content-type')?.split(';', 1)[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new Refusal(415, 'Send the body as JSON, with Content-Type: application/json.');
  const parsed = schema.safeParse(await readJson(context));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
  throw new Refusal(400, problems.join('; '));
}

async function readJson(context: Context): Promise<unknown> {
  const text = await context.req.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new Refusal(400, 'The body is no JSON.');
  }
}
