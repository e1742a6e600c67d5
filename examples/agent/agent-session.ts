import type {
  AgentContext,
  McpServer,
  PromptRequest,
  PromptResponse,
  SessionModeState,
} from '@agentclientprotocol/sdk';
import { RequestError } from '@agentclientprotocol/sdk';
import type { SessionOptions } from '../host/assemble-parts.ts';
import type { ApprovalMode } from '../host/flags.ts';
import { APPROVAL_MODES } from '../host/flags.ts';
import { HostSession } from '../host/session.ts';
import { AcpSurface } from './acp-surface.ts';
import type { DiscoveredTools } from './discovered-tools.ts';
import { discoverTools } from './discovered-tools.ts';
import { readPrompt } from './prompt-request.ts';
import { promptResponse } from './stop-reason.ts';

/** What every session of the agent has in common. */
export type AgentOptions = Pick<SessionOptions, 'flags' | 'model' | 'cronJobs'>;

/** The client that asks for a session, and the session's name. */
export interface SessionAddress {
  readonly client: AgentContext;
  readonly sessionId: string;
}

/** A session of an ACP client: the session core, and what the protocol adds to it. */
export class AgentSession {
  readonly id: string;
  readonly #surface: AcpSurface;
  readonly #host: HostSession;
  readonly #mcpServers: readonly McpServer[];
  readonly #discovered: DiscoveredTools;

  private constructor(
    id: string,
    surface: AcpSurface,
    host: HostSession,
    mcpServers: readonly McpServer[],
    discovered: DiscoveredTools,
  ) {
    this.id = id;
    this.#surface = surface;
    this.#host = host;
    this.#mcpServers = mcpServers;
    this.#discovered = discovered;
  }

  /**
   * Opens a session.
   *
   * @param cwd - an absolute path of a directory.
   * @throws RequestError when an MCP server cannot be used.
   */
  static async open(
    options: AgentOptions,
    { client, sessionId }: SessionAddress,
    cwd: string,
    mcpServers: readonly McpServer[],
  ): Promise<AgentSession> {
    const discovered = await discoverTools(mcpServers, cwd);
    const surface = new AcpSurface(client, sessionId);
    const host = new HostSession({ ...options, surface, cwd, discoveredTools: discovered.tools });
    return new AgentSession(sessionId, surface, host, mcpServers, discovered);
  }

  /** The mode, and those that there are. */
  get modes(): SessionModeState {
    return { currentModeId: this.#host.mode, availableModes: APPROVAL_MODES.map((id) => ({ id, ...MODES[id] })) };
  }

  /**
   * Runs a prompt to the end of its turn.
   *
   * @param signal - of the request: `$/cancel_request` cancels the turn like `session/cancel`.
   * @throws RequestError when the prompt cannot be read, and when the provider fails.
   */
  async prompt(request: PromptRequest, signal: AbortSignal): Promise<PromptResponse> {
    const { text, origin, promptId } = readPrompt(request);
    const result = this.#host.prompt({ text, origin });
    const turn = this.#host.liveTurn;
    if (turn !== null && promptId !== undefined) this.#surface.nameTurn(turn.id, promptId);
    signal.addEventListener('abort', () => {
      if (this.#host.liveTurn === turn) this.#host.cancel();
    });
    return promptResponse(await result);
  }

  cancel(): void {
    this.#host.cancel();
  }

  /** @throws RequestError when there is no such mode. */
  setMode(modeId: string): void {
    const mode = APPROVAL_MODES.find((known) => known === modeId);
    if (mode === undefined) {
      throw RequestError.invalidParams(undefined, `modeId must be one of ${APPROVAL_MODES.join(', ')}`);
    }
    this.#host.setMode(mode);
  }

  queuedPromptDropped(): void {
    this.#host.queuedPromptDropped();
  }

  /** @throws RangeError when there were not so many turns. */
  rewind(turns: number): void {
    this.#host.rewind(turns);
  }

  /** @throws Error when it is no absolute path of a directory. */
  changeDirectory(cwd: string): Promise<void> {
    return this.#host.changeDirectory(cwd);
  }

  /** A session with the same history, with MCP servers of its own. */
  async branch({ client, sessionId }: SessionAddress): Promise<AgentSession> {
    const discovered = await discoverTools(this.#mcpServers, this.#host.cwd);
    const surface = new AcpSurface(client, sessionId);
    const host = this.#host.branch({ surface, discoveredTools: discovered.tools });
    return new AgentSession(sessionId, surface, host, this.#mcpServers, discovered);
  }

  /** Ends the session and everything that it has begun. */
  async close(): Promise<void> {
    this.#surface.dispose();
    await this.#host.close();
    await this.#discovered.close();
  }
}

const MODES: Readonly<Record<ApprovalMode, { name: string; description: string }>> = {
  default: { name: 'Default', description: 'Ask before anything is changed.' },
  plan: { name: 'Plan', description: 'Change nothing.' },
  yolo: { name: 'Yolo', description: 'Change things without asking.' },
};
