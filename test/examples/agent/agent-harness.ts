import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type {
  ClientContext,
  McpServer,
  PromptResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from '@agentclientprotocol/sdk';
import { client, methods, ndJsonStream, RequestError } from '@agentclientprotocol/sdk';
import { isGuardNotice } from 'todo-stop-guard/acp';
import { afterAll } from 'vitest';
import * as z from 'zod';
import type { ChatRequest } from '../../../examples/scripted-model/request.ts';
import { textOf } from '../../../examples/scripted-model/request.ts';
import type { ScriptInput } from '../../../examples/scripted-model/script.ts';
import type { ScriptedModel } from '../../../examples/scripted-model/server.ts';
import { startScriptedModel } from '../../../examples/scripted-model/server.ts';
import { Watch } from '../../../examples/scripted-model/watch.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const DrainParams = z.object({ sessionId: z.string(), promptId: z.string() });

/** A script, or one that needs to know the tag that its sub-agents' prompts and its summaries must hold. */
export type SessionScript = ScriptInput | ((tag: string) => ScriptInput);

/** What a client answers to a drain. */
export interface DrainAnswer {
  readonly messages: readonly string[];
  /** A well-behaved client sends a boolean or nothing. */
  readonly hasQueuedPrompt?: unknown;
}

/** Starts the agent as a child process. Everything is gone after the file's tests. */
export function startAgent(flags: readonly string[], options: { readonly drains?: boolean } = {}): AgentHarness {
  const harness = new AgentHarness(flags, options.drains ?? true);
  afterAll(() => harness.stop());
  return harness;
}

/** An agent process with the SDK's own client before it and a scripted model behind it. Tests share it, each with sessions of its own. */
export class AgentHarness {
  readonly #flags: readonly string[];
  readonly #drains: boolean;
  readonly #sessions = new Map<string, TestSession>();
  #started: Promise<Started> | undefined;
  #tags = 0;
  /** What the agent wrote to its standard error. */
  stderr = '';

  constructor(flags: readonly string[], drains: boolean) {
    this.#flags = flags;
    this.#drains = drains;
  }

  /** The parts, started when a test first asks. */
  start(): Promise<Started> {
    this.#started ??= this.#start();
    return this.#started;
  }

  /** Opens a session in a directory of its own, whose requests the script answers. */
  async session(
    script: SessionScript,
    { mcpServers = [], files = {} }: { mcpServers?: McpServer[]; files?: Readonly<Record<string, string>> } = {},
  ): Promise<TestSession> {
    const { agent, model } = await this.start();
    const tag = `[t${++this.#tags}]`;
    const { conversations = [], responses = [] } = typeof script === 'function' ? script(tag) : script;
    model.add({
      conversations: [
        ...conversations.map((one) => ({ ...one, when: { first_user: tag, ...one.when } })),
        ...(responses.length > 0 ? [{ when: { first_user: tag }, responses }] : []),
      ],
    });
    const cwd = await mkdtemp(join(tmpdir(), 'acp-agent-'));
    for (const [name, content] of Object.entries(files)) await writeFile(join(cwd, name), content);
    const { sessionId } = await agent.request(methods.agent.session.new, { cwd, mcpServers });
    return this.adopt(sessionId, cwd, tag);
  }

  /** Listens to a session that was opened by other means. */
  async adopt(sessionId: string, cwd: string, tag: string): Promise<TestSession> {
    const session = new TestSession(sessionId, cwd, tag, await this.start());
    this.#sessions.set(sessionId, session);
    return session;
  }

  /** Ends the agent by the end of its input. @returns its exit code. */
  async stop(): Promise<number | null> {
    if (this.#started === undefined) return null;
    const { child, exited, model, close } = await this.#started;
    child.stdin.end();
    const code = await exited;
    close();
    await model.close();
    await Promise.all([...this.#sessions.values()].map(({ cwd }) => rm(cwd, { recursive: true, force: true })));
    return code;
  }

  async #start(): Promise<Started> {
    const model = await startScriptedModel({});
    const child = spawnAgent(this.#flags, model.url);
    const exited = once(child, 'exit').then(([code]) => (typeof code === 'number' ? code : null));
    child.stderr.on('data', (text: Buffer) => {
      this.stderr += text.toString();
    });
    const app = client({ name: 'test-client' })
      .onNotification(methods.client.session.update, ({ params }) => {
        this.#sessions.get(params.sessionId)?.show(params.update);
      })
      .onRequest(methods.client.session.requestPermission, ({ params }) => this.#of(params.sessionId).permit(params));
    if (this.#drains) {
      app.onRequest('craft/drainMidTurnQueue', DrainParams, ({ params }) =>
        this.#of(params.sessionId).drained(params.promptId),
      );
    }
    const connection = app.connect(ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
    await connection.agent.request(methods.agent.initialize, { protocolVersion: 1 });
    return {
      model,
      child,
      exited,
      agent: connection.agent,
      close: () => {
        connection.close();
      },
    };
  }

  #of(sessionId: string): TestSession {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) throw RequestError.sessionNotFound(sessionId);
    return session;
  }
}

export interface Started {
  readonly model: ScriptedModel;
  readonly agent: ClientContext;
  readonly child: AgentProcess;
  readonly exited: Promise<number | null>;
  readonly close: () => void;
}

export type AgentProcess = ChildProcessByStdio<Writable, Readable, Readable>;

/** The bare process. */
export function spawnAgent(flags: readonly string[], modelUrl: string): AgentProcess {
  return spawn(process.execPath, ['--import', 'tsx', 'examples/agent/main.ts', ...flags], {
    cwd: ROOT,
    env: { ...process.env, OPENAI_BASE_URL: modelUrl, OPENAI_API_KEY: 'test', OPENAI_MODEL: 'scripted' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** A session as its client sees it, and what that client says. */
export class TestSession {
  readonly id: string;
  readonly cwd: string;
  readonly tag: string;
  readonly updates: SessionUpdate[] = [];
  /** The prompt ids of all drains. */
  readonly drainedPrompts: string[] = [];
  /** Answers to the next drains, one each; after that the queue is empty. */
  readonly drains: (DrainAnswer | (() => DrainAnswer | Promise<DrainAnswer>))[] = [];
  readonly permissions: RequestPermissionRequest[] = [];
  onPermission: (request: RequestPermissionRequest) => Promise<RequestPermissionResponse> = () =>
    Promise.reject(new Error('This test expects no permission request.'));
  readonly #started: Started;
  readonly #watch = new Watch();
  #prompted = false;

  constructor(id: string, cwd: string, tag: string, started: Started) {
    this.id = id;
    this.cwd = cwd;
    this.tag = tag;
    this.#started = started;
  }

  /** Sends a prompt; the first one holds the session's tag. */
  async prompt(text: string, meta?: Readonly<Record<string, unknown>>): Promise<PromptResponse> {
    const tagged = this.#prompted ? text : `${text} ${this.tag}`;
    this.#prompted = true;
    const response = await this.#started.agent.request(methods.agent.session.prompt, {
      sessionId: this.id,
      prompt: [{ type: 'text', text: tagged }],
      ...(meta !== undefined && { _meta: meta }),
    });
    return response;
  }

  retry(text: string): Promise<PromptResponse> {
    return this.prompt(text, { 'qwen.daemon.retry': true });
  }

  continue(text: string): Promise<PromptResponse> {
    return this.prompt(text, { 'qwen.daemon.continue': true });
  }

  async cancel(): Promise<void> {
    await this.#started.agent.notify(methods.agent.session.cancel, { sessionId: this.id });
  }

  async setMode(modeId: string): Promise<void> {
    await this.#started.agent.request(methods.agent.session.setMode, { sessionId: this.id, modeId });
  }

  /** Calls an extension method. */
  call(method: string, params: object = {}): Promise<unknown> {
    return this.#started.agent.request(method, { sessionId: this.id, ...params });
  }

  /** What the model was sent in this session, its sub-agents' and summaries' requests included. */
  get requests(): readonly ChatRequest[] {
    return this.#started.model.requests.filter(({ messages }) =>
      textOf(messages.find(({ role }) => role === 'user')).includes(this.tag),
    );
  }

  /** Resolves with the n-th of them (from 1). */
  async request(ordinal: number): Promise<ChatRequest> {
    for (;;) {
      const request = this.requests[ordinal - 1];
      if (request !== undefined) return request;
      await this.#started.model.request(this.#started.model.requests.length + 1);
    }
  }

  release(name: string): void {
    this.#started.model.release(name);
  }

  /** The guard's notices so far. */
  get notices(): readonly string[] {
    return this.updates.flatMap((update) => (isGuardNotice(update) ? [update.content.text] : []));
  }

  /** The model's words so far, the notices left out. */
  get said(): string {
    return this.updates
      .flatMap((update) =>
        update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' && !isGuardNotice(update)
          ? [update.content.text]
          : [],
      )
      .join('');
  }

  /** Resolves as soon as this is true of what the client has seen, now or later. */
  until(isSo: () => boolean): Promise<void> {
    return this.#watch.until(isSo);
  }

  /** Resolves when a tool call has begun, or has come to this status. */
  untilTool(name: string, status?: 'completed' | 'failed'): Promise<void> {
    return this.until(() => {
      const ids = this.updates.flatMap((update) =>
        update.sessionUpdate === 'tool_call' && update.name === name ? [update.toolCallId] : [],
      );
      return this.updates.some(
        (update) =>
          (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update') &&
          ids.includes(update.toolCallId) &&
          (status === undefined || update.status === status),
      );
    });
  }

  /** How many automatic turns have ended. */
  get automaticTurnsEnded(): number {
    return this.updates.filter(
      ({ sessionUpdate, _meta }) => sessionUpdate === 'session_info_update' && _meta?.['source'] === 'automatic_turn',
    ).length;
  }

  show(update: SessionUpdate): void {
    this.updates.push(update);
    this.#watch.changed();
  }

  permit(request: RequestPermissionRequest): Promise<RequestPermissionResponse> {
    this.permissions.push(request);
    this.#watch.changed();
    return this.onPermission(request);
  }

  drained(promptId: string): DrainAnswer | Promise<DrainAnswer> {
    this.drainedPrompts.push(promptId);
    this.#watch.changed();
    const answer = this.drains.shift() ?? { messages: [] };
    return typeof answer === 'function' ? answer() : answer;
  }
}

/** The notice of a continuation (N3). */
export function continued(attempt: number, unfinished: number, max = 2): string {
  return `[Todo Stop Guard] Automatic continuation ${attempt}/${max} started; ${unfinished} todo item(s) remain unfinished.`;
}

/** The notice of an exhaustion (N4). */
export function exhausted(unfinished: number, spent = 2): string {
  return `[Todo Stop Guard] Automatic continuation stopped after ${spent} attempts; ${unfinished} todo item(s) remain unfinished.`;
}

/** The guard's prompt (N1, N2). */
export function guardPrompt(unfinished: number, last = false): string {
  return [
    `[Todo Stop Guard] ${unfinished} todo item(s) are still pending or in progress. Continue executing the current task now. Do not ask the user whether to continue. If progress requires user input, use the structured question or permission flow. If progress depends on external state, report the blocker explicitly.`,
    ...(last
      ? [
          'This is the final automatic continuation. Before ending, either complete/update the todos or report the completed progress and the exact blocker.',
        ]
      : []),
  ].join(' ');
}
