/**
 * The agent: ACP v1 over standard input and output. It ends, and everything that its sessions have begun ends with it,
 * when its input does or on SIGTERM.
 *
 * @module
 */
import { Readable } from 'node:stream';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { openEndpoint } from '../host/endpoint.ts';
import type { HostFlags } from '../host/flags.ts';
import { hostCommand, readCron } from '../host/flags.ts';
import { agentApp } from './agent-app.ts';
import { AgentSessions } from './agent-sessions.ts';
import { claimStdout } from './protocol-stdout.ts';

const command = hostCommand('agent', 'An agent that speaks ACP v1 on standard input and output.').parse();
const flags = command.opts<HostFlags>();
const output = claimStdout();
try {
  const cronJobs = flags.cron === undefined ? [] : await readCron(flags.cron);
  const endpoint = await openEndpoint(process.env, flags.script);
  const sessions = new AgentSessions({ flags, model: endpoint.model, cronJobs });
  const connection = agentApp(sessions).connect(ndJsonStream(output, Readable.toWeb(process.stdin)));
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      connection.close();
    });
  }
  await connection.closed;
  await sessions.closeAll();
  await endpoint.close();
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
