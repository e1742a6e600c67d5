import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import * as z from 'zod';
import { Refusal } from './refusal.ts';
import { readBody } from './request-body.ts';
import type { DaemonSession } from './session.ts';
import type { DaemonSessions } from './sessions.ts';

/** Streams of events to one session's readers; more are refused. */
const SUBSCRIBERS_MAX = 100;

const Text = z.string().refine((text) => text.trim() !== '', 'must not be blank');
const NewSession = z.strictObject({ cwd: z.string() });
const NewPrompt = z
  .strictObject({ text: Text, retry: z.boolean().default(false), continue: z.boolean().default(false) })
  .refine(({ retry, continue: goOn }) => !(retry && goOn), { path: ['retry'], error: 'not together with continue' });
const Message = z.strictObject({ text: Text });
const PermissionAnswer = z.strictObject({ optionId: z.string() });

/** The sessions over HTTP and SSE. */
export function restRoutes(sessions: DaemonSessions): Hono {
  const subscribers = new Map<DaemonSession, number>();
  const app = new Hono();

  // Whatever the answer will be: with a body that nobody has read, the connection would break under the next request.
  app.use('/sessions/*', async (context, next) => {
    await context.req.arrayBuffer();
    await next();
  });

  app.post('/sessions', async (context) => {
    const { cwd } = await readBody(context, NewSession);
    const { id } = await sessions.open({ cwd, mcpServers: [] });
    return context.json({ sessionId: id }, 201);
  });

  app.delete('/sessions/:id', async (context) => {
    await sessions.close(context.req.param('id'));
    return context.json({});
  });

  app.post('/sessions/:id/prompts', async (context) => {
    const session = sessions.get(context.req.param('id'));
    const { text, retry, continue: goOn } = await readBody(context, NewPrompt);
    const origin = retry ? 'retry' : goOn ? 'continue' : 'user';
    const { id } = session.prompt({ content: [{ type: 'text', text }], origin });
    return context.json({ promptId: id }, 202);
  });

  app.delete('/sessions/:id/prompts/:promptId', (context) => {
    sessions.get(context.req.param('id')).drop(context.req.param('promptId'));
    return context.json({});
  });

  app.post('/sessions/:id/messages', async (context) => {
    const session = sessions.get(context.req.param('id'));
    const { text } = await readBody(context, Message);
    session.message(text);
    return context.json({}, 202);
  });

  app.post('/sessions/:id/cancel', (context) => {
    sessions.get(context.req.param('id')).cancel();
    return context.json({}, 202);
  });

  app.post('/sessions/:id/permissions/:requestId', async (context) => {
    const session = sessions.get(context.req.param('id'));
    const { optionId } = await readBody(context, PermissionAnswer);
    session.answerPermission(context.req.param('requestId'), optionId);
    return context.json({});
  });

  app.get('/sessions/:id/events', (context) => {
    const session = sessions.get(context.req.param('id'));
    const after = readEventId(context.req.header('last-event-id'));
    const others = subscribers.get(session) ?? 0;
    if (others >= SUBSCRIBERS_MAX) throw new Refusal(429, `${SUBSCRIBERS_MAX} clients read these events. Close one.`);
    subscribers.set(session, others + 1);
    const leaving = new AbortController();
    return streamSSE(context, async (stream) => {
      stream.onAbort(() => {
        leaving.abort();
      });
      // Each write waits until the client takes it: a slow one is behind, and nothing piles up for it.
      for await (const { event, through } of session.events.follow(after, leaving.signal)) {
        const { id, ...data } = event;
        await stream.writeSSE({ id: String(id), data: JSON.stringify(through > id ? { ...data, through } : data) });
      }
      const left = (subscribers.get(session) ?? 1) - 1;
      if (left === 0) subscribers.delete(session);
      else subscribers.set(session, left);
    });
  });

  return app;
}

/** Where a client wants to go on. A client that has seen nothing gets everything that there is. */
function readEventId(header: string | undefined): number {
  if (header === undefined || header === '') return 0;
  const id = Number(header);
  if (/^\d+$/.test(header) && Number.isSafeInteger(id)) return id;
  throw new Refusal(400, 'Last-Event-ID must be the id of an event: a whole number.');
}
