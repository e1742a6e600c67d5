import { stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { confine } from '../host/confine.ts';
import type { AgentSupervisor } from './agent-supervisor.ts';
import type { EventLogLimits } from './event-log.ts';
import { messageOf, Refusal } from './refusal.ts';
import type { SessionPlace } from './session-agent.ts';
import { DaemonSession } from './session.ts';

/** With full logs, this many fit into a few gigabytes. */
const SESSIONS_MAX = 1000;

/** What every session of a daemon has in common. */
export interface SessionsOptions {
  readonly agents: AgentSupervisor;
  readonly events: EventLogLimits;
  /** Where sessions may work; `undefined`: anywhere. */
  readonly root: string | undefined;
}

/** The sessions of the daemon, whichever way they are reached. */
export class DaemonSessions {
  readonly #options: SessionsOptions;
  readonly #sessions = new Map<string, DaemonSession>();
  #opening = 0;
  #closed = false;

  constructor(options: SessionsOptions) {
    this.#options = options;
  }

  /** @throws Refusal when there is no such session, or it was closed. */
  get(id: string): DaemonSession {
    const session = this.#sessions.get(id);
    if (session === undefined)
      throw new Refusal(404, `There is no session ${id}; it was closed or never was. Open one.`);
    return session;
  }

  /** @throws Refusal when the directory cannot be used, there are too many sessions, or no agent can be had. */
  open(place: SessionPlace): Promise<DaemonSession> {
    const { agents, events } = this.#options;
    return this.#add(async () => {
      await this.#check(place.cwd);
      return DaemonSession.open(agents, place, events).catch(agentRefused);
    });
  }

  /** @throws Refusal when there is no such session, there are too many, or no agent can be had. */
  branch(id: string): Promise<DaemonSession> {
    const { agents, events } = this.#options;
    return this.#add(() => DaemonSession.branch(agents, this.get(id), events).catch(agentRefused));
  }

  /** @throws Refusal when there is no such session, or the directory cannot be used. */
  async changeDirectory(id: string, cwd: string): Promise<void> {
    const session = this.get(id);
    await this.#check(cwd);
    await session.agent.changeDirectory(cwd);
  }

  /** @throws Refusal when there is no such session. */
  async close(id: string): Promise<void> {
    const session = this.get(id);
    this.#sessions.delete(id);
    await session.close();
  }

  /** Closes every session and opens no other. */
  async closeAll(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#sessions.keys()].map((id) => this.close(id)));
  }

  /** Adds what is opened, within the limits. */
  async #add(open: () => Promise<DaemonSession>): Promise<DaemonSession> {
    if (this.#sessions.size + this.#opening >= SESSIONS_MAX) {
      throw new Refusal(429, `${SESSIONS_MAX} sessions are open. Close one.`);
    }
    this.#opening++;
    try {
      const session = await open();
      if (this.#closed) {
        await session.close();
        throw new Refusal(503, 'The daemon is shutting down.');
      }
      this.#sessions.set(session.id, session);
      return session;
    } finally {
      this.#opening--;
    }
  }

  async #check(cwd: string): Promise<void> {
    const { root } = this.#options;
    const found = isAbsolute(cwd) ? await stat(cwd).catch(() => null) : null;
    if (found?.isDirectory() !== true) throw new Refusal(400, 'cwd must be the absolute path of a directory.');
    if (root === undefined) return;
    await confine(root, cwd).catch(() => {
      throw new Refusal(403, `cwd must be inside ${root}, where the sessions of this daemon work.`);
    });
  }
}

function agentRefused(error: unknown): never {
  throw new Refusal(502, `The agent could not open the session: ${messageOf(error)}`);
}
