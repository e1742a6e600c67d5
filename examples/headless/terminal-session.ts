import type { SessionOptions } from '../host/assemble-parts.ts';
import { HostSession } from '../host/session.ts';
import type { TurnResult } from '../host/turn.ts';
import { TerminalSurface } from './terminal-surface.ts';
import type { TypedPrompt } from './typed-lines.ts';
import { TypedLines } from './typed-lines.ts';

/** A session in a terminal, and the lines that are typed into it. */
export class TerminalSession {
  readonly lines: TypedLines;
  readonly surface: TerminalSurface;
  readonly host: HostSession;
  #lastResult: TurnResult | null = null;
  #closed = false;

  constructor(options: Omit<SessionOptions, 'surface'>, write: (text: string) => void) {
    this.lines = new TypedLines(
      () => this.host.liveTurn !== null,
      () => {
        this.#startNext();
      },
    );
    this.surface = new TerminalSurface(write, this.lines, (result) => {
      this.#lastResult = result;
      // Before the turns that are held (O2).
      this.#startNext();
    });
    this.host = new HostSession({ ...options, surface: this.surface });
  }

  /** How the last turn ended; `null` before the first has. */
  get lastResult(): TurnResult | null {
    return this.#lastResult;
  }

  /** Takes a typed line. */
  type(line: string): void {
    const outcome = this.lines.type(line);
    if (outcome === 'waiting') this.surface.say('host', `noted: ${line.trim()}`);
    if (outcome === 'unknown') this.surface.say('host', `there is no ${line.trim()}; use /retry or /continue`);
  }

  /** Runs a prompt to the end of its turn. */
  prompt(prompt: TypedPrompt): Promise<TurnResult> {
    return this.host.prompt(prompt);
  }

  /** Ends the session. What was typed and has not been sent is given up. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.host.close();
  }

  #startNext(): void {
    if (this.#closed) return;
    const prompt = this.lines.nextPrompt();
    if (prompt !== undefined) void this.prompt(prompt);
  }
}
