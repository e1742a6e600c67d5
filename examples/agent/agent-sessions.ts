import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { AgentContext, NewSessionRequest } from '@agentclientprotocol/sdk';
import { RequestError } from '@agentclientprotocol/sdk';
import type { AgentOptions } from './agent-session.ts';
import { AgentSession } from './agent-session.ts';

/** The sessions of one agent process. Nothing of one reaches another. */
export class AgentSessions {
  readonly #options: AgentOptions;
  readonly #sessions = new Map<string, AgentSession>();

  constructor(options: AgentOptions) {
    this.#options = options;
  }

  /** @throws RequestError when there is no such session, or it was closed. */
  get(sessionId: string): AgentSession {
    const session = this.#sessions.get(sessionId);
    if (session === undefined) throw RequestError.sessionNotFound(sessionId);
    return session;
  }

  /** @throws RequestError that names the parameter that does not fit. */
  async open(client: AgentContext, { cwd, mcpServers }: NewSessionRequest): Promise<AgentSession> {
    const found = isAbsolute(cwd) ? await stat(cwd).catch(() => null) : null;
    if (found?.isDirectory() !== true) {
      throw RequestError.invalidParams(undefined, 'cwd must be the absolute path of a directory');
    }
    const address = { client, sessionId: randomUUID() };
    return this.#add(await AgentSession.open(this.#options, address, cwd, mcpServers));
  }

  /** @throws RequestError when there is no such session. */
  async branch(client: AgentContext, sessionId: string): Promise<AgentSession> {
    return this.#add(await this.get(sessionId).branch({ client, sessionId: randomUUID() }));
  }

  /** @throws RequestError when there is no such session. */
  async close(sessionId: string): Promise<void> {
    const session = this.get(sessionId);
    this.#sessions.delete(sessionId);
    await session.close();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#sessions.keys()].map((sessionId) => this.close(sessionId)));
  }

  #add(session: AgentSession): AgentSession {
    this.#sessions.set(session.id, session);
    return session;
  }
}
