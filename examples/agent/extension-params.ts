/**
 * The parameters of the `craft/` methods, for whoever serves them.
 *
 * @module
 */
import { RequestError } from '@agentclientprotocol/sdk';
import * as z from 'zod';

export const InSession = z.object({ sessionId: z.string() });
export const Rewind = InSession.extend({ turns: z.number() });
export const ChangeDirectory = InSession.extend({ cwd: z.string() });

/** A parser whose error says in its message which parameter does not fit. */
export function paramsOf<Schema extends z.ZodType>(schema: Schema): (params: unknown) => z.output<Schema> {
  return (params) => {
    const parsed = schema.safeParse(params);
    if (parsed.success) return parsed.data;
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'params'}: ${message}`);
    throw RequestError.invalidParams(undefined, problems.join('; '));
  };
}
