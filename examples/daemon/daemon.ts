import { once } from 'node:events';
import { Server } from 'node:http';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { HTTPException } from 'hono/http-exception';
import { unlessAborted } from '../host/unless-aborted.ts';
import { isLoopback, localOnly, sameOrigin, withToken } from './access.ts';
import { AcpGateway } from './acp-gateway.ts';
import { AgentSupervisor } from './agent-supervisor.ts';
import { EVENT_LOG_LIMITS } from './event-log.ts';
import type { DaemonFlags } from './flags.ts';
import { messageOf, Refusal } from './refusal.ts';
import { BODY_BYTES_MAX } from './request-body.ts';
import { restRoutes } from './rest.ts';
import { DaemonSessions } from './sessions.ts';

/** How long the clients may take to read the last events of a daemon that ends. */
const LAST_READS_MS = 1_000;

/** A daemon that runs. */
export interface Daemon {
  readonly url: string;
  /** Settles what runs, ends the agent and frees the port. */
  close(): Promise<void>;
}

/**
 * Starts the daemon and its agent.
 *
 * @param agentArgs - the agent's command line.
 * @throws Error when the address needs a token, the port is taken or the agent does not start.
 */
export async function startDaemon(flags: DaemonFlags, agentArgs: readonly string[]): Promise<Daemon> {
  const { host, port, token, root, ringEvents, graceSeconds } = flags;
  if (!isLoopback(host) && !token) {
    throw new Error(`--host ${host} can be reached from other machines, so it needs a token: give --token too.`);
  }
  const agents = new AgentSupervisor(agentArgs);
  await agents.current();
  const sessions = new DaemonSessions({ agents, root, events: { ...EVENT_LOG_LIMITS, eventsMax: ringEvents } });
  const acp = new AcpGateway(sessions, graceSeconds * 1000);

  const app = new Hono();
  app.onError((error, context) => {
    if (error instanceof HTTPException) return error.getResponse();
    if (error instanceof Refusal) return context.json({ error: error.message }, error.status);
    console.error(error);
    return context.json({ error: messageOf(error) }, 500);
  });
  app.notFound((context) => context.json({ error: `There is no ${context.req.method} ${context.req.path}.` }, 404));
  if (isLoopback(host)) app.use(localOnly());
  app.use(sameOrigin());
  if (token) app.use(withToken(token));
  app.use(
    bodyLimit({
      maxSize: BODY_BYTES_MAX,
      // What is left of the body is not read, so that the connection has to go; a client is told not to use it again.
      onError: (context) =>
        context.json({ error: `The body is larger than ${BODY_BYTES_MAX} bytes.` }, 413, { connection: 'close' }),
    }),
  );
  app.route('/', restRoutes(sessions));
  app.all('/acp', (context) => acp.handle(context.req.raw));

  const server = createAdaptorServer({ fetch: app.fetch, serverOptions: { keepAlive: true } });
  server.listen(port, host);
  await once(server, 'listening').catch(async (error: unknown) => {
    await agents.close();
    throw error;
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      await sessions.closeAll();
      await acp.close();
      await agents.close();
      if (server instanceof Server) {
        server.closeIdleConnections();
        // What is still being read has had its last event written; a client that does not read it is not waited for.
        await unlessAborted(closed, AbortSignal.timeout(LAST_READS_MS)).catch(() => undefined);
        server.closeAllConnections();
      }
      await closed;
    },
  };
}
