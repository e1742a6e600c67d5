import { AgentProcess } from './agent-process.ts';

/**
 * The agent process of the daemon: one for all sessions, since a process takes half a second to start and a session
 * nothing. The sessions of one process share its fate; a dead one is replaced when it is asked for, so that an agent that
 * always dies is not started in a circle.
 */
export class AgentSupervisor {
  readonly #args: readonly string[];
  #current: Promise<AgentProcess> | null = null;
  #closed = false;

  constructor(args: readonly string[]) {
    this.#args = args;
  }

  /**
   * The agent that runs, or a new one.
   *
   * @throws Error when it cannot be started, or the daemon is shutting down.
   */
  async current(): Promise<AgentProcess> {
    if (this.#closed) throw new Error('The daemon is shutting down.');
    const starting = (this.#current ??= AgentProcess.start(this.#args));
    const agent = await starting.catch((error: unknown) => {
      this.#forget(starting);
      throw error;
    });
    if (!agent.isGone) return agent;
    // Its sessions hear of its death before they hear from another.
    await agent.died;
    this.#forget(starting);
    return this.current();
  }

  /** Ends the process, and starts no other. */
  async close(): Promise<void> {
    this.#closed = true;
    const agent = await this.#current?.catch(() => null);
    await agent?.end();
  }

  #forget(agent: Promise<AgentProcess>): void {
    if (this.#current === agent) this.#current = null;
  }
}
