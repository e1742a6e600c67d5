import { AcpServer } from '@agentclientprotocol/sdk/experimental/server';
import { AcpConnection } from './acp-connection.ts';
import { Refusal } from './refusal.ts';
import type { DaemonSession } from './session.ts';
import type { DaemonSessions } from './sessions.ts';

const CONNECTION_ID = 'Acp-Connection-Id';
const CONNECTIONS_MAX = 1000;
/** Output that waits for a client of ACP; past it the connection waits, since the session's own log keeps everything. */
const BUFFERED_CHARS_MAX = 4_000_000;

/**
 * The sessions over ACP's HTTP transport.
 *
 * A session is held by one connection at a time: the one that has opened or loaded it last. One that was opened here ends
 * when its holder has been gone for longer than the grace period; one that was opened over REST outlives its visitors.
 */
export class AcpGateway {
  readonly #sessions: DaemonSessions;
  readonly #graceMs: number;
  readonly #server: AcpServer;
  readonly #connections = new Map<string, AcpConnection>();
  readonly #holders = new Map<string, AcpConnection>();
  readonly #openedHere = new Set<string>();

  /** @param graceMs - how long a client may be gone before what it holds ends. */
  constructor(sessions: DaemonSessions, graceMs: number) {
    this.#sessions = sessions;
    this.#graceMs = graceMs;
    this.#server = new AcpServer({
      maxBufferedBytes: BUFFERED_CHARS_MAX,
      createAgent: () => {
        throw new Error('Every connection brings an agent of its own.');
      },
    });
  }

  /** Answers one HTTP request of the transport. */
  async handle(request: Request): Promise<Response> {
    const id = request.headers.get(CONNECTION_ID);
    if (id === null) return this.#connect(request);
    const response = await this.#server.handleRequest(request);
    if (request.method === 'GET' && response.ok) this.#connections.get(id)?.streamOpened(request.signal);
    return response;
  }

  /** Ends every connection. The sessions are not its to end. */
  async close(): Promise<void> {
    for (const connection of this.#connections.values()) connection.forget();
    await this.#server.close();
  }

  async #connect(request: Request): Promise<Response> {
    if (this.#connections.size >= CONNECTIONS_MAX) {
      throw new Refusal(429, `${CONNECTIONS_MAX} ACP connections are open. Close one.`);
    }
    const connection: AcpConnection = new AcpConnection(this.#graceMs, {
      get: (sessionId) => this.#sessions.get(sessionId),
      open: async (place) => this.#opened(connection, await this.#sessions.open(place)),
      branch: async (sessionId) => this.#opened(connection, await this.#sessions.branch(sessionId)),
      changeDirectory: (sessionId, cwd) => this.#sessions.changeDirectory(sessionId, cwd),
      take: (session) => {
        this.#holders.get(session.id)?.release(session.id);
        this.#holders.set(session.id, connection);
      },
      close: (sessionId) => this.#sessions.close(sessionId),
      ended: (sessionId) => {
        this.#holders.delete(sessionId);
        this.#openedHere.delete(sessionId);
      },
      expired: (sessions) => {
        this.#expired(connection, sessions);
      },
    });
    const response = await this.#server.handleRequest(request, { agent: connection });
    const id = response.headers.get(CONNECTION_ID);
    if (id === null) connection.forget();
    else this.#connections.set(id, connection);
    return response;
  }

  #opened(connection: AcpConnection, session: DaemonSession): DaemonSession {
    this.#openedHere.add(session.id);
    this.#holders.set(session.id, connection);
    return session;
  }

  /** A client has been gone for too long. */
  #expired(connection: AcpConnection, sessions: readonly DaemonSession[]): void {
    for (const [id, known] of this.#connections) if (known === connection) this.#connections.delete(id);
    for (const { id } of sessions) {
      this.#holders.delete(id);
      if (!this.#openedHere.delete(id)) continue;
      this.#sessions.close(id).catch(() => undefined);
    }
  }
}
