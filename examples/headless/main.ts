/**
 * The core loop in a terminal. Without a prompt and with nothing configured it plays the demo; otherwise it runs what is
 * typed, on the model that the environment names.
 *
 * @module
 */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import pc from 'picocolors';
import type { Endpoint } from '../host/endpoint.ts';
import { openEndpoint } from '../host/endpoint.ts';
import type { HostFlags } from '../host/flags.ts';
import { hostCommand, readCron } from '../host/flags.ts';
import { playDemo } from './demo.ts';
import { readTerminal } from './read-terminal.ts';
import { TerminalSession } from './terminal-session.ts';

interface Flags extends HostFlags {
  readonly prompt?: string;
  readonly cwd?: string;
}

const command = hostCommand('demo', 'An agent loop with the Todo Stop Guard, in a terminal.')
  .option('--prompt <text>', 'run this prompt', (text: string) => {
    if (text.trim() === '') throw new InvalidArgumentError('Give a prompt that is not blank.');
    return text;
  })
  .option('--cwd <directory>', 'work here (default: a new temporary directory)')
  .parse();

const write = (text: string): void => {
  process.stdout.write(text);
};

const leaving = new AbortController();
const leave = (): void => {
  leaving.abort(new Error('The session was broken off.'));
};
process.on('SIGTERM', leave);
process.on('SIGHUP', leave);
// Nobody reads any more.
process.stdout.on('error', leave);

try {
  process.exitCode = await main(command.opts<Flags>());
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function main(flags: Flags): Promise<number> {
  const endpoint = await openEndpoint(process.env, flags.script);
  try {
    const isDemo = endpoint.scripted && (flags.prompt ?? flags.script ?? flags.cron) === undefined;
    return await (isDemo ? runDemo(endpoint) : runTyped(flags, endpoint));
  } finally {
    await endpoint.close();
  }
}

async function runDemo({ model }: Endpoint): Promise<number> {
  const cwd = await mkdtemp(join(tmpdir(), 'todo-stop-guard-demo-'));
  write(`A scripted model works with real tools in ${cwd}.\n`);
  write(
    pc.dim(
      'Each line says who acts: you, the model, its tools, the guard with what it was told → what it decided (and why), the reminder.\n',
    ),
  );
  if (hasUnusedFlags()) write('The demo has flags of its own. With a --prompt, yours are used.\n');
  process.on('SIGINT', leave);
  try {
    await playDemo({ model, cwd, write, signal: leaving.signal });
    return 0;
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

/** The demo shows the guard anyway. */
function hasUnusedFlags(): boolean {
  const given = Object.keys(command.opts()).filter((name) => command.getOptionValueSource(name) === 'cli');
  return given.some((name) => name !== 'todoStopGuard');
}

async function runTyped(flags: Flags, { model, name }: Endpoint): Promise<number> {
  const cronJobs = flags.cron === undefined ? [] : await readCron(flags.cron);
  const cwd = await workingDirectory(flags.cwd);
  write(`${name} works in ${cwd}.\n`);
  const session = new TerminalSession({ flags, model, cwd, cronJobs }, write);
  if (flags.prompt !== undefined) void session.prompt({ text: flags.prompt, origin: 'user' });
  await readTerminal(session, { staysForCron: cronJobs.length > 0, leaving });
  const { lastResult } = session;
  await session.close();
  return lastResult === null || lastResult.kind === 'ended' ? 0 : 1;
}

async function workingDirectory(given: string | undefined): Promise<string> {
  if (given === undefined) return mkdtemp(join(tmpdir(), 'todo-stop-guard-'));
  const found = await stat(given).catch(() => null);
  if (found?.isDirectory() !== true) throw new Error(`--cwd ${given}: give a directory that exists.`);
  return resolve(given);
}
