import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { client, methods, ndJsonStream, PROTOCOL_VERSION, RequestError } from '@agentclientprotocol/sdk';
import type {
  ClientConnection,
  NewSessionRequest,
  NewSessionResponse,
  PromptRequest,
  PromptResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from '@agentclientprotocol/sdk';
import * as z from 'zod';

const AGENT = fileURLToPath(new URL('../agent/main.ts', import.meta.url));
/** How long an agent that was asked to end has for it. */
const END_WITHIN_MS = 5_000;

/** The answer to `craft/drainMidTurnQueue` (D1). A type alias: it crosses the wire. */
export type DrainedQueue = {
  readonly messages: readonly string[];
  readonly hasQueuedPrompt: boolean;
};

/** What the agent says to the client of one of its sessions, and asks of it. */
export interface AgentListener {
  updated(update: SessionUpdate): void;
  permission(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse>;
  drain(promptId: string): DrainedQueue;
  /** The agent is gone, and everything that it had said was heard. */
  lost(reason: string): void;
}

const Drain = z.object({ sessionId: z.string(), promptId: z.string() });
const Branched = z.object({ sessionId: z.string() });

/** An agent in a process of its own. */
export class AgentProcess {
  readonly #child: ChildProcess;
  readonly #connection: ClientConnection;
  readonly #listeners: Map<string, AgentListener>;
  /** Resolves with the reason once the process is gone and its listeners have heard of it. */
  readonly died: Promise<string>;

  private constructor(
    child: ChildProcess,
    connection: ClientConnection,
    listeners: Map<string, AgentListener>,
    died: Promise<string>,
  ) {
    this.#child = child;
    this.#connection = connection;
    this.#listeners = listeners;
    this.died = died;
  }

  /**
   * Starts one, with the environment and the loader of this process.
   *
   * @throws Error when it ends before it has answered; what it said about it is on standard error.
   */
  static async start(args: readonly string[]): Promise<AgentProcess> {
    const child = spawn(process.execPath, [...process.execArgv, AGENT, ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    // Writing to a process that is gone fails; its exit says so already.
    child.stdin.on('error', () => undefined);
    const listeners = new Map<string, AgentListener>();
    const connection = connect(listeners, ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout)));
    // One that speaks no more is of no use.
    void connection.closed.then(() => child.kill('SIGTERM'));
    const died = new Promise<string>((resolve) => {
      child.once('error', (error) => {
        resolve(`could not be started: ${error.message}`);
      });
      child.once('exit', (code, signal) => {
        const reason = signal === null ? `ended with status ${code ?? 'unknown'}` : `was ended by ${signal}`;
        // What it said last can still wait to be read, and is part of its life.
        void connection.closed.then(() => {
          resolve(reason);
        });
      });
    });
    void died.then((reason) => {
      for (const listener of listeners.values()) listener.lost(reason);
    });
    const initialized = connection.agent
      .request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} })
      .then(() => null);
    initialized.catch(() => undefined);
    const failure = await Promise.race([initialized.catch(() => died), died]);
    if (failure !== null) throw new Error(`The agent ${failure}.`);
    return new AgentProcess(child, connection, listeners, died);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Everything from here on fails. */
  get isGone(): boolean {
    return this.#connection.signal.aborted;
  }

  /** Opens a session, whose updates and questions go to the listener. */
  async open(request: NewSessionRequest, listener: AgentListener): Promise<NewSessionResponse> {
    const response = await this.#connection.agent.request(methods.agent.session.new, request);
    this.#listeners.set(response.sessionId, listener);
    return response;
  }

  prompt(request: PromptRequest): Promise<PromptResponse> {
    return this.#connection.agent.request(methods.agent.session.prompt, request);
  }

  async cancel(sessionId: string): Promise<void> {
    await this.#connection.agent.notify(methods.agent.session.cancel, { sessionId });
  }

  /** The last queued prompt was dropped (O2). */
  async queuedPromptDropped(sessionId: string): Promise<void> {
    await this.#connection.agent.request('craft/queuedPromptDropped', { sessionId });
  }

  async setMode(sessionId: string, modeId: string): Promise<void> {
    await this.#connection.agent.request(methods.agent.session.setMode, { sessionId, modeId });
  }

  /** @throws RequestError when there were not so many turns. */
  async rewind(sessionId: string, turns: number): Promise<void> {
    await this.#connection.agent.request('craft/rewind', { sessionId, turns });
  }

  /** @throws RequestError when it cannot be worked in. */
  async changeDirectory(sessionId: string, cwd: string): Promise<void> {
    await this.#connection.agent.request('craft/changeDirectory', { sessionId, cwd });
  }

  /** Opens a session with the same history, whose updates and questions go to the listener. */
  async branch(of: string, listener: AgentListener): Promise<string> {
    const { sessionId } = Branched.parse(await this.#connection.agent.request('craft/branch', { sessionId: of }));
    this.#listeners.set(sessionId, listener);
    return sessionId;
  }

  /** Ends a session and what it has begun. Nothing more is heard of it after that. */
  async close(sessionId: string): Promise<void> {
    try {
      await this.#connection.agent.request(methods.agent.session.close, { sessionId });
    } finally {
      this.#listeners.delete(sessionId);
    }
  }

  /** Asks the process to end, sees to it that it does, and waits until it has. */
  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const overdue = setTimeout(() => this.#child.kill('SIGKILL'), END_WITHIN_MS);
    await exited;
    clearTimeout(overdue);
  }
}

function connect(listeners: ReadonlyMap<string, AgentListener>, stream: ReturnType<typeof ndJsonStream>) {
  const listenerOf = (sessionId: string): AgentListener => {
    const listener = listeners.get(sessionId);
    if (listener === undefined) throw RequestError.sessionNotFound(sessionId);
    return listener;
  };
  return (
    client({ name: 'todo-stop-guard-daemon' })
      // First, so that no response overtakes the updates that were sent before it.
      .onNotification(methods.client.session.update, ({ params }) => {
        listeners.get(params.sessionId)?.updated(params.update);
      })
      .onRequest(methods.client.session.requestPermission, ({ params, signal }) =>
        listenerOf(params.sessionId).permission(params, signal),
      )
      .onRequest(
        'craft/drainMidTurnQueue',
        (params) => Drain.parse(params),
        ({ params }) => listenerOf(params.sessionId).drain(params.promptId),
      )
      .connect(stream)
  );
}
