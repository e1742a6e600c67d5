import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { Watch } from '../../examples/scripted-model/watch.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A host that runs as a child process. */
export interface ChildHost {
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** All that it has written to its standard output so far. */
  readonly output: () => string;
  /** Resolves as soon as its output contains the text. */
  readonly untilSaid: (text: string) => Promise<void>;
  /** Resolves with its exit code. */
  readonly exited: Promise<number | null>;
}

/** Starts a TypeScript file of the repository, without a model of its own configured but for what `env` says. */
export function startChild(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildHost {
  return startProgram(process.execPath, ['--import', 'tsx', join(ROOT, file), ...args], env);
}

/** Starts a program in the repository's root, as {@link startChild} does. */
export function startProgram(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): ChildHost {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('OPENAI_'));
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { ...Object.fromEntries(inherited), NO_COLOR: '1', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  const watch = new Watch();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      output += text;
      watch.changed();
    });
  }
  const exited = new Promise<number | null>((resolve) => {
    child.on('close', resolve);
  });
  onTestFinished(async () => {
    child.kill();
    await exited;
  });
  return {
    child,
    output: () => output,
    untilSaid: (text) =>
      Promise.race([
        watch.until(() => output.includes(text)),
        exited.then(() => {
          throw new Error(`The host has ended without saying "${text}":\n${output}`);
        }),
      ]),
    exited,
  };
}
