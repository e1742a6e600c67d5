import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { tailOf } from './cut-text.ts';

/** How long output is read on after the command has ended: what is in the pipes is read at once. */
const LAST_OUTPUT_MS = 1_000;

/** A command in a process group of its own, so that it ends with everything that it has begun. */
export interface RunningCommand {
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The exit code; `null` when a signal ended it. Resolves when its output has been read, and never rejects. */
  readonly ended: Promise<{ readonly code: number | null; readonly error?: Error }>;
  /** Kills the whole group. Harmless after the end. */
  readonly kill: () => void;
}

/**
 * Starts a shell command. Its output goes into pipes, never to the host's own. The model's key is kept from it.
 *
 * @param input - all that it finds on its standard input.
 */
export function startCommand(command: string, cwd: string, input = ''): RunningCommand {
  const env = { ...process.env };
  delete env['OPENAI_API_KEY'];
  const child = spawn('/bin/sh', ['-c', command], { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8');
  // A command that does not read its input closes the pipe: that is no error of ours.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const kill = (): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The group is gone.
    }
  };
  const ended = new Promise<{ code: number | null; error?: Error }>((resolve) => {
    child.on('error', (error) => {
      resolve({ code: null, error });
    });
    let noMore: NodeJS.Timeout | undefined;
    child.on('exit', () => {
      // What it leaves behind holds the pipes open, and would outlive the session.
      kill();
      // A process that has left the group is out of reach. It is not waited for.
      noMore = setTimeout(() => {
        child.stdout.destroy();
        child.stderr.destroy();
      }, LAST_OUTPUT_MS);
    });
    child.on('close', (code) => {
      clearTimeout(noMore);
      resolve({ code });
    });
  });
  return { stdout: child.stdout, stderr: child.stderr, ended, kill };
}

/** Output that is kept up to a bound: the end matters more than the beginning. */
export class OutputTail {
  readonly #charsMax: number;
  #text = '';
  #cut = false;

  constructor(charsMax: number) {
    this.#charsMax = charsMax;
  }

  add(text: string): void {
    this.#text += text;
    if (this.#text.length <= this.#charsMax) return;
    this.#cut = true;
    this.#text = tailOf(this.#text, this.#charsMax);
  }

  toString(): string {
    return this.#cut ? `[the beginning is left out]\n${this.#text}` : this.#text;
  }
}
