import { execFileSync } from 'node:child_process';

/**
 * The process of a daemon's agent; `null` when there is none. It asks at once, without waiting: what is found is then still
 * there for a signal.
 */
export function agentPidOf(daemonPid: number): number | null {
  const processes = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(daemonPid)], { encoding: 'utf8' });
  const line = processes.split('\n').find((text) => text.includes('agent/main.ts'));
  return line === undefined ? null : Number.parseInt(line, 10);
}
