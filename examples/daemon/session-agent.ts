import type { McpServer, SessionModeState } from '@agentclientprotocol/sdk';
import type { AgentListener, AgentProcess } from './agent-process.ts';
import type { AgentSupervisor } from './agent-supervisor.ts';

/** Where a session works, and with what. */
export interface SessionPlace {
  /** An absolute path of a directory. */
  readonly cwd: string;
  readonly mcpServers: McpServer[];
}

/** The agent's side of a session, for as long as that agent lives. */
export interface AgentSide {
  readonly agent: AgentProcess;
  readonly sessionId: string;
  readonly modes: SessionModeState | null;
}

/** The agent of one session: after its death a new one, which remembers and trusts nothing (C6). */
export class SessionAgent {
  readonly #agents: AgentSupervisor;
  readonly #listener: AgentListener;
  #place: SessionPlace;
  #side: AgentSide | null = null;
  #opening: Promise<AgentSide> | null = null;
  /** The mode that a client has asked for; a new agent gets it too. */
  #mode: string | null = null;

  constructor(agents: AgentSupervisor, place: SessionPlace, listener: AgentListener) {
    this.#agents = agents;
    this.#place = place;
    this.#listener = listener;
  }

  get place(): SessionPlace {
    return this.#place;
  }

  get modes(): SessionModeState | null {
    return this.#side?.modes ?? null;
  }

  /**
   * The side that lives, or a new one.
   *
   * @throws Error when no agent can be started, or it refuses the place.
   */
  current(): Promise<AgentSide> {
    if (this.#side !== null && !this.#side.agent.isGone) return Promise.resolve(this.#side);
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null;
    });
    return this.#opening;
  }

  /** Tells an agent that may be gone, or go. Its death is noticed elsewhere. */
  tell(tell: (side: AgentSide) => Promise<void>): void {
    if (this.#side !== null) tell(this.#side).catch(() => undefined);
  }

  /** @throws Error when the agent knows no such mode. */
  async setMode(modeId: string): Promise<void> {
    const { agent, sessionId } = await this.current();
    await agent.setMode(sessionId, modeId);
    this.#mode = modeId;
  }

  /** @throws RequestError when there were not so many turns. */
  async rewind(turns: number): Promise<void> {
    const { agent, sessionId } = await this.current();
    await agent.rewind(sessionId, turns);
  }

  /** Goes to another directory; a new agent works there too. */
  async changeDirectory(cwd: string): Promise<void> {
    const { agent, sessionId } = await this.current();
    await agent.changeDirectory(sessionId, cwd);
    this.#place = { ...this.#place, cwd };
  }

  /** Begins with the history of another session, in the same process. */
  async branchFrom(origin: SessionAgent): Promise<void> {
    const { agent, sessionId, modes } = await origin.current();
    this.#mode = origin.#mode;
    this.#side = { agent, sessionId: await agent.branch(sessionId, this.#listener), modes };
  }

  /** Ends the agent's session and what it has begun. */
  async close(): Promise<void> {
    const side = (await this.#opening?.catch(() => null)) ?? this.#side;
    await side?.agent.close(side.sessionId).catch(() => undefined);
  }

  async #open(): Promise<AgentSide> {
    const agent = await this.#agents.current();
    const { sessionId, modes = null } = await agent.open({ ...this.#place }, this.#listener);
    this.#side = { agent, sessionId, modes };
    if (this.#mode !== null) await agent.setMode(sessionId, this.#mode);
    return this.#side;
  }
}
