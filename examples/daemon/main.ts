/**
 * The daemon: HTTP and SSE over the agent. It prints one line of JSON, `{ "url": … }`, when it can be used, and ends,
 * with everything that runs in it, on SIGTERM.
 *
 * @module
 */
import { startDaemon } from './daemon.ts';
import type { DaemonFlags } from './flags.ts';
import { agentArguments, daemonCommand } from './flags.ts';
import { messageOf } from './refusal.ts';

const flags = daemonCommand().parse().opts<DaemonFlags>();
try {
  const daemon = await startDaemon(flags, agentArguments({ ...flags }));
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
  const stopped = new Promise<void>((resolve) => {
    for (const signal of signals) process.on(signal, resolve);
  });
  console.log(JSON.stringify({ url: daemon.url }));
  await stopped;
  await daemon.close();
  process.exit(0);
} catch (error) {
  console.error(messageOf(error));
  process.exit(1);
}
