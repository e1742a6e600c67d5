import { agent, methods, PROTOCOL_VERSION, RequestError } from '@agentclientprotocol/sdk';
import type { AgentApp, AgentConnection, PromptRequest, PromptResponse, Stream } from '@agentclientprotocol/sdk';
import { ChangeDirectory, InSession, paramsOf, Rewind } from '../agent/extension-params.ts';
import { readPrompt } from '../agent/prompt-request.ts';
import { AcpVisit } from './acp-visit.ts';
import { Refusal } from './refusal.ts';
import type { DaemonSession } from './session.ts';
import type { SessionPlace } from './session-agent.ts';

/** What a connection asks of the daemon. */
export interface AcpConnectionHost {
  get(sessionId: string): DaemonSession;
  open(place: SessionPlace): Promise<DaemonSession>;
  branch(sessionId: string): Promise<DaemonSession>;
  changeDirectory(sessionId: string, cwd: string): Promise<void>;
  /** The connection takes the session over, whoever held it. */
  take(session: DaemonSession): void;
  close(sessionId: string): Promise<void>;
  /** A session that the connection held is over. */
  ended(sessionId: string): void;
  /** The client was gone for longer than the grace period, with these sessions in its hands. */
  expired(sessions: readonly DaemonSession[]): void;
}

/** One client of ACP's HTTP transport: an agent to it, and a visitor to the sessions of the daemon. */
export class AcpConnection {
  readonly #graceMs: number;
  readonly #host: AcpConnectionHost;
  readonly #visits = new Map<string, AcpVisit>();
  #connection: AgentConnection | null = null;
  #streams = 0;
  #absence: NodeJS.Timeout | null = null;
  #forgotten = false;

  constructor(graceMs: number, host: AcpConnectionHost) {
    this.#graceMs = graceMs;
    this.#host = host;
    this.#absent();
  }

  /** Called by the SDK's server. */
  connect(stream: Stream): AgentConnection {
    this.#connection = this.#app().connect(stream);
    void this.#connection.closed.then(() => {
      this.#absent();
    });
    return this.#connection;
  }

  /**
   * The client listens: it is there for as long as one of its streams is.
   *
   * @param signal - aborts when the stream is lost.
   */
  streamOpened(signal: AbortSignal): void {
    this.#streams++;
    this.#stopWaiting();
    signal.addEventListener('abort', () => {
      if (--this.#streams === 0) this.#absent();
    });
  }

  /** Another connection holds the session now. */
  release(sessionId: string): void {
    this.#visits.get(sessionId)?.end();
    this.#visits.delete(sessionId);
  }

  /** Nobody waits for this client any more. */
  forget(): void {
    this.#stopWaiting();
    for (const sessionId of [...this.#visits.keys()]) this.release(sessionId);
    this.#forgotten = true;
    this.#connection?.close();
  }

  #absent(): void {
    if (this.#forgotten) return;
    this.#absence ??= setTimeout(() => {
      const sessions = [...this.#visits.values()].map(({ session }) => session);
      this.forget();
      this.#host.expired(sessions);
    }, this.#graceMs);
  }

  #stopWaiting(): void {
    if (this.#absence !== null) clearTimeout(this.#absence);
    this.#absence = null;
  }

  #visit(session: DaemonSession, after: number): AcpVisit {
    if (this.#connection === null) throw new Error('Not connected.');
    const visit = new AcpVisit(this.#connection.client, session, after, () => {
      this.#visits.delete(session.id);
      this.#host.ended(session.id);
    });
    this.#visits.set(session.id, visit);
    return visit;
  }

  async #prompt(request: PromptRequest, signal: AbortSignal): Promise<PromptResponse> {
    const visit = this.#visits.get(request.sessionId);
    if (visit === undefined) throw RequestError.sessionNotFound(request.sessionId);
    const { origin } = readPrompt(request);
    const prompt = visit.session.prompt({ content: request.prompt, origin });
    signal.addEventListener('abort', () => {
      // A connection that is lost aborts too, and cancels nothing.
      if (this.#connection?.signal.aborted !== true) visit.session.cancelPrompt(prompt.id);
    });
    const end = await visit.ended(prompt.id);
    if ('error' in end) throw new RequestError(-32603, end.error);
    return { stopReason: end.stopReason, ...(end._meta && { _meta: end._meta }) };
  }

  #app(): AgentApp {
    const { initialize, session } = methods.agent;
    return agent({ name: 'todo-stop-guard-daemon' })
      .onRequest(initialize, () => ({
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: 'todo-stop-guard-daemon', version: '0.1.0' },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { embeddedContext: true },
          sessionCapabilities: { close: {} },
        },
      }))
      .onRequest(session.new, ({ params: { cwd, mcpServers } }) =>
        orRequestError(async () => {
          const opened = await this.#host.open({ cwd, mcpServers });
          this.#visit(opened, opened.events.newest);
          return { sessionId: opened.id, modes: opened.agent.modes };
        }),
      )
      .onRequest(session.load, ({ params: { sessionId } }) =>
        orRequestError(async () => {
          const loaded = this.#host.get(sessionId);
          this.#host.take(loaded);
          await this.#visit(loaded, 0).replayed;
          return { modes: loaded.agent.modes };
        }),
      )
      .onRequest(session.prompt, ({ params, signal }) => orRequestError(() => this.#prompt(params, signal)))
      .onNotification(session.cancel, ({ params }) => {
        this.#visits.get(params.sessionId)?.session.cancel();
      })
      .onRequest(session.setMode, ({ params: { sessionId, modeId } }) =>
        orRequestError(() => this.#host.get(sessionId).agent.setMode(modeId)),
      )
      .onRequest(session.close, ({ params }) => orRequestError(() => this.#host.close(params.sessionId)))
      .onRequest('craft/rewind', paramsOf(Rewind), ({ params: { sessionId, turns } }) =>
        orRequestError(async () => {
          await this.#host.get(sessionId).agent.rewind(turns);
          return {};
        }),
      )
      .onRequest('craft/changeDirectory', paramsOf(ChangeDirectory), ({ params: { sessionId, cwd } }) =>
        orRequestError(async () => {
          await this.#host.changeDirectory(sessionId, cwd);
          return {};
        }),
      )
      .onRequest('craft/branch', paramsOf(InSession), ({ params: { sessionId } }) =>
        orRequestError(async () => {
          const branched = await this.#host.branch(sessionId);
          this.#visit(branched, branched.events.newest);
          return { sessionId: branched.id };
        }),
      );
  }
}

/** What the daemon refuses, in the protocol's form. */
async function orRequestError<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const code = error.status === 404 ? RESOURCE_NOT_FOUND : INVALID_PARAMS;
    throw new RequestError(code, error.message);
  }
}

const RESOURCE_NOT_FOUND = -32002;
const INVALID_PARAMS = -32602;
