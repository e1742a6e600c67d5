import { randomUUID } from 'node:crypto';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import type { PendingPrompt } from 'todo-stop-guard/acp';
import { hasQueuedPrompt } from 'todo-stop-guard/acp';
import type { PromptOrigin } from 'todo-stop-guard';
import type { PromptEnd } from './events.ts';
import { Refusal } from './refusal.ts';

/** Prompts that wait; one more is refused. Nobody types that far ahead. */
const PROMPTS_MAX = 100;

/** What a client sends. */
export interface NewPrompt {
  readonly content: readonly ContentBlock[];
  readonly origin: PromptOrigin;
}

/** A prompt from when it was accepted until it has ended. */
export interface DaemonPrompt extends NewPrompt, PendingPrompt {
  readonly id: string;
  readonly state: 'queued' | 'running' | 'settled';
  /** Resolves when it has ended, in whichever way. */
  readonly ended: Promise<PromptEnd>;
}

/** The prompts of a session, first in, first out. */
export class PromptQueue {
  /** The running one first, then those that wait. */
  #prompts: readonly Entry[] = [];

  get running(): DaemonPrompt | null {
    return this.#prompts.find(({ state }) => state === 'running') ?? null;
  }

  /** What the agent is told of the queue (D2). */
  get hasQueued(): boolean {
    return hasQueuedPrompt(this.#prompts);
  }

  isQueued(id: string): boolean {
    return this.#prompts.some((prompt) => prompt.id === id && prompt.state === 'queued');
  }

  /** @throws Refusal when too many wait. */
  add(prompt: NewPrompt): DaemonPrompt {
    if (this.#prompts.length >= PROMPTS_MAX) {
      throw new Refusal(429, `${PROMPTS_MAX} prompts wait already. Drop one, or wait until one has ended.`);
    }
    const entry = new Entry(prompt);
    this.#prompts = [...this.#prompts, entry];
    return entry;
  }

  /** Makes the first one that waits the running one. */
  startNext(): DaemonPrompt | null {
    const next = this.#prompts.find(({ state }) => state === 'queued');
    if (next === undefined) return null;
    next.state = 'running';
    return next;
  }

  /** The running prompt is to end: its signal says so. */
  abortRunning(): void {
    this.#prompts.find(({ state }) => state === 'running')?.abort();
  }

  /** A prompt has ended. */
  settle(id: string, end: PromptEnd): void {
    const entry = this.#prompts.find((prompt) => prompt.id === id);
    this.#prompts = this.#prompts.filter((prompt) => prompt !== entry);
    entry?.settle(end);
  }

  /**
   * Drops a prompt that waits.
   *
   * @throws Refusal when it does not wait, or not any more.
   */
  drop(id: string): void {
    const entry = this.#prompts.find((prompt) => prompt.id === id);
    if (entry === undefined) throw new Refusal(404, `No prompt ${id} waits here; it has ended or never was.`);
    if (entry.state !== 'queued') throw new Refusal(409, `Prompt ${id} runs already. Use cancel to stop it.`);
    entry.abort();
    this.settle(id, { stopReason: 'cancelled' });
  }

  /**
   * Ends everything that waits.
   *
   * @returns the ids, in order.
   */
  endQueued(end: PromptEnd): readonly string[] {
    const queued = this.#prompts.filter(({ state }) => state === 'queued');
    for (const { id } of queued) this.settle(id, end);
    return queued.map(({ id }) => id);
  }
}

class Entry implements DaemonPrompt {
  readonly id = randomUUID();
  readonly content: readonly ContentBlock[];
  readonly origin: PromptOrigin;
  /** A prompt comes in one piece. */
  readonly complete = true;
  state: DaemonPrompt['state'] = 'queued';
  readonly ended: Promise<PromptEnd>;
  readonly #aborting = new AbortController();
  #end: (end: PromptEnd) => void = () => undefined;

  constructor({ content, origin }: NewPrompt) {
    this.content = content;
    this.origin = origin;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  get signal(): AbortSignal {
    return this.#aborting.signal;
  }

  abort(): void {
    this.#aborting.abort();
  }

  settle(end: PromptEnd): void {
    this.state = 'settled';
    this.#end(end);
  }
}
