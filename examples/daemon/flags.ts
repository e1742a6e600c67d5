import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import { hostCommand } from '../host/flags.ts';

/** The daemon's own flags. */
export interface DaemonFlags {
  /** 0: any free port. */
  readonly port: number;
  readonly host: string;
  /** What a client has to present. */
  readonly token?: string;
  /** Where sessions may work. Left out: anywhere. */
  readonly root?: string;
  readonly graceSeconds: number;
  readonly ringEvents: number;
}

/** The variable that holds the token; unlike a flag, it shows in no list of processes. */
export const TOKEN_VARIABLE = 'DAEMON_TOKEN';

/** The daemon's command line: its own flags beside those of every host. */
export function daemonCommand(): Command {
  return hostCommand('daemon', 'A daemon over HTTP and SSE that keeps working while its clients come and go.')
    .option('--port <n>', 'the port; 0 for any that is free', wholeNumber(0, 65_535), 4170)
    .option('--host <address>', 'the address to listen on; any but loopback needs a token', '127.0.0.1')
    .addOption(new Option('--token <token>', 'the bearer token of every request').env(TOKEN_VARIABLE))
    .option('--root <directory>', 'sessions may work inside this directory only')
    .option(
      '--grace-seconds <n>',
      'how long an ACP client may be gone before its sessions end',
      wholeNumber(0, 86_400),
      10,
    )
    .option('--ring-events <n>', 'how many events of a session are kept as they were', wholeNumber(1, 100_000), 1000);
}

/**
 * The flags that the agent understands, as its command line.
 *
 * @param flags - what {@link daemonCommand} has parsed.
 */
export function agentArguments(flags: Readonly<Record<string, unknown>>): readonly string[] {
  return hostCommand('agent', '').options.flatMap((option) => {
    const value = flags[option.attributeName()];
    const name = option.long ?? option.flags;
    if (value === true) return [name];
    if (value === false || value === undefined) return [];
    return (Array.isArray(value) ? value : [value]).map((one) => `${name}=${String(one)}`);
  });
}

function wholeNumber(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (value.trim() !== '' && Number.isInteger(number) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
  };
}
