import type { PromptOrigin } from 'todo-stop-guard';
import type { DrainedMessages } from '../host/surface.ts';

/** A prompt that was typed. */
export interface TypedPrompt {
  readonly text: string;
  readonly origin: PromptOrigin;
}

/** What the trusted commands say to the model when nothing follows them. */
const COMMANDS = { '/retry': 'Try that again.', '/continue': 'Go on with the task.' } as const;

/**
 * Where each typed line goes: it answers an open question, is a message while a turn runs, and a prompt otherwise. The
 * trusted commands are always prompts; while a turn runs they wait for its end.
 */
export class TypedLines {
  readonly #turnRuns: () => boolean;
  readonly #prompted: () => void;
  #messages: string[] = [];
  readonly #prompts: TypedPrompt[] = [];
  #question: ((line: string | null) => void) | null = null;
  #ended = false;

  /**
   * @param turnRuns - whether a turn runs now.
   * @param prompted - a prompt was typed while none did.
   */
  constructor(turnRuns: () => boolean, prompted: () => void) {
    this.#turnRuns = turnRuns;
    this.#prompted = prompted;
  }

  /**
   * Takes a line. What was typed before a question was asked never answers it (F27).
   *
   * @returns what has become of it: `waiting` for the turn that runs, or for its end; `unknown` when it looks like a
   *   command and is none: a typing error would start another task.
   */
  type(line: string): 'taken' | 'waiting' | 'unknown' {
    const text = line.trim();
    if (this.#question !== null) {
      this.#question(text);
      return 'taken';
    }
    if (text === '') return 'taken';
    const prompt = readPrompt(text);
    if (prompt.origin === 'user' && /^\/[a-z]+$/i.test(text)) return 'unknown';
    if (prompt.origin === 'user' && this.#turnRuns()) this.#messages.push(text);
    else this.#prompts.push(prompt);
    if (this.#turnRuns()) return 'waiting';
    this.#prompted();
    return 'taken';
  }

  /**
   * Asks; the next line that is typed answers. One question at a time.
   *
   * @returns `null` when the signal aborts or the input ends.
   */
  ask(signal: AbortSignal): Promise<string | null> {
    if (signal.aborted || this.#ended) return Promise.resolve(null);
    return new Promise((resolve) => {
      const answer = (line: string | null): void => {
        this.#question = null;
        signal.removeEventListener('abort', giveUp);
        resolve(line);
      };
      const giveUp = (): void => {
        answer(null);
      };
      signal.addEventListener('abort', giveUp);
      this.#question = answer;
    });
  }

  /** The input has ended: nobody will answer. */
  end(): void {
    this.#ended = true;
    this.#question?.(null);
  }

  /** What a look takes. */
  drain(): DrainedMessages {
    const messages = this.#messages;
    this.#messages = [];
    return { messages, hasQueuedPrompt: this.#prompts.length > 0 };
  }

  /** What runs next: messages that no look has taken are a prompt now. */
  nextPrompt(): TypedPrompt | undefined {
    const { messages } = this.drain();
    if (messages.length > 0) return { text: messages.join('\n'), origin: 'user' };
    return this.#prompts.shift();
  }
}

function readPrompt(text: string): TypedPrompt {
  const [, command, rest = ''] = /^(\/retry|\/continue)(?:\s+(.*))?$/s.exec(text) ?? [];
  if (command !== '/retry' && command !== '/continue') return { text, origin: 'user' };
  return { text: rest || COMMANDS[command], origin: command === '/retry' ? 'retry' : 'continue' };
}
