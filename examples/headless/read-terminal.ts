import { once } from 'node:events';
import { createInterface } from 'node:readline';
import pc from 'picocolors';
import type { TerminalSession } from './terminal-session.ts';

/** How often it is looked whether the session has come to rest. */
const WATCH_MS = 100;
/** Input that is no terminal may be a pipe that nobody will ever close: so long it is waited for more. */
const QUIET_MS = { afterEnd: 2_000, afterTrouble: 20_000 } as const;
/** Under npm one Ctrl-C comes twice at once: from the terminal, and passed on by npm. */
const ECHO_MS = 10;

/**
 * Feeds a session from the terminal until nothing more is to come: the input has ended and the session is at rest, a
 * pipe has been silent for a while, or the user leaves with Ctrl-C while nothing runs.
 *
 * @param staysForCron - cron jobs go on: only the user ends the session.
 * @param leaving - aborts when the user leaves, in this way or in another.
 */
export async function readTerminal(
  session: TerminalSession,
  { staysForCron, leaving }: { readonly staysForCron: boolean; readonly leaving: AbortController },
): Promise<void> {
  let inputEnded = false;
  const input = createInterface({ input: process.stdin });
  input.on('line', (line) => {
    session.type(line);
  });
  input.on('close', () => {
    inputEnded = true;
    session.lines.end();
  });

  let cancelledAt = -Infinity;
  const interrupt = (): void => {
    if (session.host.liveTurn !== null) {
      cancelledAt = Date.now();
      session.host.cancel();
    } else if (Date.now() - cancelledAt > ECHO_MS) {
      leaving.abort();
    }
  };
  process.on('SIGINT', interrupt);

  let quietSince = Date.now();
  const watch = setInterval(() => {
    if (!session.host.isIdle) quietSince = Date.now();
    else if (Date.now() - quietSince >= patience()) leaving.abort();
  }, WATCH_MS);
  const patience = (): number => {
    if (staysForCron) return Infinity;
    if (inputEnded) return 0;
    if (process.stdin.isTTY) return Infinity;
    return session.lastResult?.kind === 'ended' ? QUIET_MS.afterEnd : QUIET_MS.afterTrouble;
  };

  if (process.stdin.isTTY) {
    console.log(
      pc.dim('Type a prompt. Lines typed while a turn runs go to it; /retry and /continue go on; Ctrl-C cancels.'),
    );
  }
  if (!leaving.signal.aborted) await once(leaving.signal, 'abort');
  clearInterval(watch);
  input.close();
  process.off('SIGINT', interrupt);
}
