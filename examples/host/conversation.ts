import type { ToolCall } from './answer-chunk.ts';
import type { HistoryEntry, ToolOutput } from './history.ts';
import { newEntries } from './history.ts';
import type { ModelAnswer } from './model.ts';

/** A text that no request has carried yet. */
export interface UnsentText {
  readonly text: string;
  /** The user said it while a turn ran; it gives the chain a fresh stage when it is sent (C3). */
  readonly midTurn: boolean;
}

/** A request that is about to be submitted. Until it is committed, nothing has happened. */
export interface Draft {
  /** The whole history with what the request adds. */
  readonly entries: readonly HistoryEntry[];
  /** What the user said mid-turn and it carries, oldest first. */
  readonly midTurn: readonly string[];
  /** The stream has opened: what the request added is history now. */
  commit(): void;
}

/**
 * What has been said, and what waits to be said. Tool results and user messages are never lost: whatever was not sent
 * opens the next request.
 */
export class Conversation {
  #entries: readonly HistoryEntry[];
  #results: readonly ToolOutput[] = [];
  #texts: readonly UnsentText[] = [];
  /** Where each turn begins. */
  #turnStarts: readonly number[] = [];
  /** The prompt tokens that the provider counted last; `null` when it did not, or the history has changed since. */
  promptTokens: number | null = null;

  constructor(entries: readonly HistoryEntry[] = []) {
    this.#entries = entries;
  }

  get entries(): readonly HistoryEntry[] {
    return this.#entries;
  }

  get hasToolResults(): boolean {
    return this.#results.length > 0;
  }

  /** Whether something that the user said mid-turn waits. */
  get hasMidTurnTexts(): boolean {
    return this.#texts.some(({ midTurn }) => midTurn);
  }

  /** A turn begins with its opening text: a prompt, or a notification. */
  beginTurn(text: string): void {
    this.#turnStarts = [...this.#turnStarts, this.#entries.length];
    this.#texts = [...this.#texts, { text, midTurn: false }];
  }

  /** Messages of the user came in while the turn runs. */
  addMidTurn(messages: readonly string[]): void {
    this.#texts = [...this.#texts, ...messages.map((text) => ({ text, midTurn: true }))];
  }

  addToolResult(callId: string, text: string): void {
    this.#results = [...this.#results, { role: 'tool', callId, text }];
  }

  /** The model has answered, wholly or as far as its stream got. */
  addAnswer({ text, toolCalls }: Pick<ModelAnswer, 'text' | 'toolCalls'>): void {
    if (text === '' && toolCalls.length === 0) return;
    this.#entries = [...this.#entries, { role: 'assistant', text, toolCalls }];
  }

  /** Everything that waits, in the order of R2, with what only this request carries. */
  draft(words: {
    readonly reminder?: string | undefined;
    readonly stopHookReason?: string | null;
    readonly guardPrompt?: string | undefined;
  }): Draft {
    const [base, results, texts] = [this.#entries, this.#results, this.#texts];
    const userTexts = texts.map(({ text }) => text);
    const entries = [...base, ...newEntries({ ...words, toolResults: results, userTexts })];
    return {
      entries,
      midTurn: texts.flatMap(({ text, midTurn }) => (midTurn ? [text] : [])),
      commit: () => {
        this.#entries = entries;
        this.#results = this.#results.filter((result) => !results.includes(result));
        this.#texts = this.#texts.filter((text) => !texts.includes(text));
      },
    };
  }

  /** Puts a summary in the place of what it sums up; open tool calls stay, for their results. */
  compact(summary: string): void {
    const open = this.#entries.slice(this.settledEntries.length);
    this.#entries = [{ role: 'user', text: summary }, ...open];
    this.#turnStarts = [this.#entries.length];
    this.promptTokens = null;
  }

  /** What a summary sums up: everything but tool calls whose results have not been sent. */
  get settledEntries(): readonly HistoryEntry[] {
    return withoutOpenCalls(this.#entries);
  }

  /**
   * The conversation as it was some turns ago; what waited to be sent is discarded with them.
   *
   * @throws RangeError when there were not so many turns.
   */
  rewound(turns: number): Conversation {
    const known = this.#turnStarts.length;
    if (!Number.isInteger(turns) || turns < 1 || turns > known) {
      throw new RangeError(`turns must be a whole number from 1 to ${known}, the number of turns so far.`);
    }
    const rewound = new Conversation(withoutOpenCalls(this.#entries.slice(0, this.#turnStarts.at(-turns))));
    rewound.#turnStarts = this.#turnStarts.slice(0, -turns);
    return rewound;
  }

  /** A conversation that goes its own way from here. */
  branched(): Conversation {
    const branch = new Conversation(this.settledEntries);
    branch.#turnStarts = this.#turnStarts;
    branch.promptTokens = this.promptTokens;
    return branch;
  }
}

/** A provider refuses tool calls that have no results. */
function withoutOpenCalls(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  const last = entries.at(-1);
  return last?.role === 'assistant' && last.toolCalls.length > 0 ? entries.slice(0, -1) : entries;
}

/** Whether the model's calls can be run: a cut-off answer may hold half of one. */
export function callsToRun({ toolCalls, finishReason }: ModelAnswer): readonly ToolCall[] {
  return finishReason === 'length' || finishReason === 'content_filter' ? [] : toolCalls;
}
