import * as z from 'zod';
import { Watch } from '../../examples/scripted-model/watch.ts';
import type { ReadEvent } from '../../test/examples/daemon/read-events.ts';
import { readEvents, textIn } from '../../test/examples/daemon/read-events.ts';
import type { Random } from './random.ts';

/** What one session was sent, and what became of it. */
export interface Account {
  readonly tag: string;
  /** The words of each prompt that was accepted, by its id. */
  readonly prompts: ReadonlyMap<string, string>;
  readonly dropped: ReadonlySet<string>;
  /** The words of each message that was accepted. */
  readonly messages: readonly string[];
  readonly events: readonly ReadEvent[];
}

/** A user who talks to one session at random, on a bad line. */
export class SoakSession implements Account {
  readonly tag: string;
  readonly prompts = new Map<string, string>();
  readonly dropped = new Set<string>();
  readonly messages: string[] = [];
  readonly events: ReadEvent[] = [];
  readonly #url: string;
  readonly #random: Random;
  readonly #watch = new Watch();
  #line = new AbortController();
  #over = false;

  constructor(url: string, sessionId: string, tag: string, random: Random) {
    this.#url = `${url}/sessions/${sessionId}`;
    this.tag = tag;
    this.#random = random;
    void this.#listen();
  }

  /** Says some things, drops some, cancels some, and is cut off now and then. */
  async talk(): Promise<void> {
    const random = this.#random;
    for (let round = random.whole(1, 3); round > 0; round--) {
      const first = await this.prompt();
      if (random.chance(0.4)) await this.#maybeDrop(await this.prompt());
      for (let count = random.whole(0, 2); count > 0; count--) {
        await random.pause(40);
        await this.#message();
      }
      if (random.chance(0.3)) this.#line.abort();
      if (random.chance(0.3)) {
        await random.pause(60);
        await this.#post('/cancel', undefined);
      }
      await this.ended(first);
    }
  }

  /** Sends a prompt with words that occur nowhere else. */
  async prompt(words = 'prompt'): Promise<string> {
    const text = `${this.tag} ${words} ${this.prompts.size};`;
    const { body } = await this.#post('/prompts', { text });
    const promptId = z.object({ promptId: z.string() }).parse(body).promptId;
    this.prompts.set(promptId, text);
    return promptId;
  }

  /** Resolves when a prompt has ended or was dropped. */
  async ended(promptId: string): Promise<void> {
    const isEnd = ({ type, promptId: id }: ReadEvent): boolean =>
      id === promptId && (type === 'prompt_ended' || type === 'prompt_dropped');
    await this.#watch.until(() => this.events.some(isEnd));
  }

  /** Everything has ended. */
  async settled(): Promise<void> {
    await Promise.all([...this.prompts.keys()].map((promptId) => this.ended(promptId)));
  }

  async close(): Promise<void> {
    this.#over = true;
    await fetch(this.#url, { method: 'DELETE' });
    this.#line.abort();
  }

  async #maybeDrop(promptId: string): Promise<void> {
    if (!this.#random.chance(0.6)) return;
    await this.#random.pause(30);
    const response = await fetch(`${this.#url}/prompts/${promptId}`, { method: 'DELETE' });
    await response.text();
    if (response.ok) this.dropped.add(promptId);
  }

  async #message(): Promise<void> {
    const text = `${this.tag} message ${this.messages.length};`;
    const { status } = await this.#post('/messages', { text });
    if (status === 202) this.messages.push(text);
  }

  async #post(path: string, body: object | undefined): Promise<{ status: number; body: unknown }> {
    const response = await fetch(`${this.#url}${path}`, {
      method: 'POST',
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return { status: response.status, body: await response.json() };
  }

  /** Reads the events, from where it was whenever it has lost the line. */
  async #listen(): Promise<void> {
    while (!this.#over) {
      this.#line = new AbortController();
      await this.#read(this.#line.signal).catch(() => undefined);
      await this.#random.pause(20);
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const last = this.events.at(-1)?.id ?? 0;
    const response = await fetch(`${this.#url}/events`, { headers: { 'last-event-id': String(last) }, signal });
    if (!response.ok || response.body === null) return;
    for await (const event of readEvents(response.body)) {
      this.events.push(event);
      this.#watch.changed();
      if (event.type === 'permission_request' && event.requestId !== undefined) void this.#answer(event.requestId);
    }
  }

  /** Late, if at all in time. */
  async #answer(requestId: string): Promise<void> {
    await this.#random.pause(100);
    const optionId = this.#random.chance(0.8) ? 'allow_once' : 'reject_once';
    await this.#post(`/permissions/${requestId}`, { optionId }).catch(() => undefined);
  }
}

/** The words of the user that an event says have gone to the agent. */
export function userWordsOf({ type, update }: ReadEvent): string {
  return type === 'user_message' ? textIn(update?.content) : '';
}
