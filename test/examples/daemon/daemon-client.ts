import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { textOf } from '../../../examples/scripted-model/request.ts';
import type { ScriptInput } from '../../../examples/scripted-model/script.ts';
import type { ScriptedModel } from '../../../examples/scripted-model/server.ts';
import { startScriptedModel } from '../../../examples/scripted-model/server.ts';
import { Watch } from '../../../examples/scripted-model/watch.ts';
import { agentPidOf } from './agent-pid.ts';
import type { ReadEvent } from './read-events.ts';
import { readEvents, textIn } from './read-events.ts';

const Line = z.object({ url: z.string() });

/** A daemon in a process of its own. */
export interface DaemonProcess {
  readonly url: string;
  readonly pid: number;
  /** The process of its agent. */
  agentPid(): number;
  /** Sends SIGTERM and resolves with the exit code. */
  stop(): Promise<number | null>;
}

/** Starts the daemon as a user does. */
export async function startDaemonProcess(
  model: ScriptedModel,
  flags: readonly string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<DaemonProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'examples/daemon/main.ts', '--port', '0', ...flags], {
    env: { ...process.env, OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'none', OPENAI_MODEL: 'scripted', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const lines = createInterface(child.stdout);
  const first = await Promise.race([
    once(lines, 'line'),
    exited.then(() => {
      throw new Error('The daemon ended before it said where it is.');
    }),
  ]);
  const pid = child.pid ?? -1;
  return {
    url: Line.parse(JSON.parse(String(first[0]))).url,
    pid,
    agentPid: () => {
      const agent = agentPidOf(pid);
      if (agent === null) throw new Error('The daemon has no agent.');
      return agent;
    },
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
      return child.exitCode;
    },
  };
}

/** A daemon and its model, for the tests of one file. */
export async function startWorld(
  flags: readonly string[] = [],
): Promise<{ readonly model: ScriptedModel; readonly daemon: DaemonProcess; stop(): Promise<number | null> }> {
  const model = await startScriptedModel({});
  const daemon = await startDaemonProcess(model, flags);
  return {
    model,
    daemon,
    stop: async () => {
      const code = await daemon.stop();
      await model.close();
      return code;
    },
  };
}

/** A directory that is gone after the test. */
export async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'daemon-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** A client of the daemon's HTTP interface. */
export class DaemonClient {
  readonly url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.url = url;
    this.#headers = headers;
  }

  /** A request with a JSON body, if there is one. */
  async send(method: string, path: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { ...this.#headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: z.record(z.string(), z.unknown()).parse(await response.json()) };
  }

  /** Opens a session in a directory of its own. */
  async open(cwd?: string): Promise<SessionClient> {
    const { status, body } = await this.send('POST', '/sessions', { cwd: cwd ?? (await temporaryDirectory()) });
    if (status !== 201) throw new Error(`No session: ${JSON.stringify(body)}`);
    return new SessionClient(this, z.string().parse(body['sessionId']), this.#headers);
  }
}

/** One session of a client. */
export class SessionClient {
  readonly id: string;
  readonly #client: DaemonClient;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(client: DaemonClient, id: string, headers: Readonly<Record<string, string>>) {
    this.#client = client;
    this.id = id;
    this.#headers = headers;
  }

  send(method: string, path: string, body?: unknown): ReturnType<DaemonClient['send']> {
    return this.#client.send(method, `/sessions/${this.id}${path}`, body);
  }

  /** Sends a prompt that is accepted. */
  async prompt(text: string, more: { readonly retry?: boolean; readonly continue?: boolean } = {}): Promise<string> {
    const { status, body } = await this.send('POST', '/prompts', { text, ...more });
    if (status !== 202) throw new Error(`${status}: ${JSON.stringify(body)}`);
    return z.string().parse(body['promptId']);
  }

  async answer(event: ReadEvent, optionId: string): Promise<number> {
    return (await this.send('POST', `/permissions/${event.requestId ?? ''}`, { optionId })).status;
  }

  /** Subscribes; without an id it gets everything from the beginning. */
  async subscribe(lastEventId?: number): Promise<Subscriber> {
    const leaving = new AbortController();
    const response = await fetch(`${this.#client.url}/sessions/${this.id}/events`, {
      headers: { ...this.#headers, ...(lastEventId !== undefined && { 'last-event-id': String(lastEventId) }) },
      signal: leaving.signal,
    });
    if (response.status !== 200 || response.body === null) throw new Error(`No events: ${response.status}`);
    return new Subscriber(response.body, leaving);
  }
}

/** A reader of a session's events. */
export class Subscriber {
  readonly events: ReadEvent[] = [];
  /** Resolves when the stream is over, by whichever side. */
  readonly over: Promise<void>;
  readonly #leaving: AbortController;
  readonly #watch = new Watch();

  constructor(body: ReadableStream<Uint8Array>, leaving: AbortController) {
    this.#leaving = leaving;
    this.over = this.#read(body).catch((error: unknown) => {
      // What comes of leaving, or of a daemon that is gone, is an end like any other; an event that does not fit is not.
      if (error instanceof z.ZodError) throw error;
    });
    onTestFinished(() => {
      this.leave();
    });
  }

  /** Disconnects in the middle of whatever there is. */
  leave(): void {
    this.#leaving.abort();
  }

  /** The first event that fits, now or later. */
  until(fits: (event: ReadEvent) => boolean): Promise<ReadEvent> {
    return this.#watch.find(() => this.events.find(fits));
  }

  ended(promptId: string): Promise<ReadEvent> {
    return this.until(({ type, promptId: id }) => type === 'prompt_ended' && id === promptId);
  }

  started(promptId: string): Promise<ReadEvent> {
    return this.until(({ type, promptId: id }) => type === 'prompt_started' && id === promptId);
  }

  asked(): Promise<ReadEvent> {
    return this.until(({ type }) => type === 'permission_request');
  }

  /** What the agent has said, in one piece. */
  get said(): string {
    return this.events.map((event) => (isNotice(event) ? '' : saidBy(event))).join('');
  }

  get notices(): readonly ReadEvent[] {
    return this.events.filter(isNotice);
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    for await (const event of readEvents(body)) {
      this.events.push(event);
      this.#watch.changed();
    }
  }
}

export function isNotice({ update }: ReadEvent): boolean {
  return update?._meta?.['source'] === 'todo_stop_guard';
}

export function saidBy({ update }: ReadEvent): string {
  return update?.sessionUpdate === 'agent_message_chunk' ? textIn(update.content) : '';
}

/** A response that writes a Todo list. */
export function writesTodos(...statuses: readonly ('pending' | 'in_progress' | 'completed')[]): TodoCall {
  const todos = statuses.map((status, index) => ({ id: `${index + 1}`, content: `Step ${index + 1}`, status }));
  return { tool_calls: [{ name: 'todo_write', arguments: { todos } }] };
}

/** Resolves when the model has been sent so many requests of the session whose first prompt has these words. */
export async function requestsSent(model: ScriptedModel, first: string, count: number): Promise<void> {
  for (let ordinal = 1, found = 0; found < count; ordinal++) {
    const { messages } = await model.request(ordinal);
    if (textOf(messages.find(({ role }) => role === 'user')).includes(first)) found++;
  }
}

/** A script for the requests of one session, told by the words of its first prompt. */
export function scriptFor(first: string, responses: NonNullable<ScriptInput['responses']>): ScriptInput {
  return { conversations: [{ when: { first_user: first }, responses }] };
}

/** A response that asks to write a file. */
export const WRITES_FILE = {
  tool_calls: [{ name: 'write_file', arguments: { file_path: 'note.txt', content: 'hello' } }],
};

/** A script in which a guard stream asks to write a file. */
export function asking(first: string): ScriptInput {
  return scriptFor(first, [
    writesTodos('pending'),
    { text: 'I stop.' },
    { text: 'I go on.', ...WRITES_FILE },
    { text: 'I wrote it.' },
  ]);
}

interface TodoCall {
  readonly tool_calls: { name: string; arguments: Record<string, unknown> }[];
}
