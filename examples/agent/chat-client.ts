import type {
  ClientConnection,
  RequestPermissionRequest,
  RequestPermissionResponse,
  Stream,
} from '@agentclientprotocol/sdk';
import { client, methods, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import pc from 'picocolors';
import * as z from 'zod';
import { TerminalSurface } from '../headless/terminal-surface.ts';
import type { TypedPrompt } from '../headless/typed-lines.ts';
import { TypedLines } from '../headless/typed-lines.ts';
import { shownCall, UpdateView } from './show-update.ts';

/** A session with the agent, in a terminal. */
export class ChatClient {
  readonly #surface: TerminalSurface;
  readonly #view: UpdateView;
  readonly #lines: TypedLines;
  readonly #connection: ClientConnection;
  #sessionId = '';
  #running: Promise<void> | null = null;

  /**
   * @param stream - to the agent.
   * @param write - takes what is to appear in the terminal.
   */
  constructor(stream: Stream, write: (text: string) => void) {
    this.#lines = new TypedLines(
      () => this.isBusy,
      () => {
        this.#startNext();
      },
    );
    this.#surface = new TerminalSurface(write, this.#lines, () => undefined);
    this.#view = new UpdateView(this.#surface);
    this.#connection = client({ name: 'chat' })
      .onNotification(methods.client.session.update, ({ params }) => {
        this.#view.show(params.update);
        // What was typed during an automatic turn and not taken by it is a prompt once it is over.
        if (!this.isBusy) this.#startNext();
      })
      .onRequest(methods.client.session.requestPermission, ({ params, signal }) => this.#askPermission(params, signal))
      .onRequest('craft/drainMidTurnQueue', z.object({}), () => this.#lines.drain())
      .connect(stream);
  }

  /** Opens the session. */
  async open(cwd: string): Promise<void> {
    const { agent } = this.#connection;
    await agent.request(methods.agent.initialize, { protocolVersion: PROTOCOL_VERSION });
    const { sessionId } = await agent.request(methods.agent.session.new, { cwd, mcpServers: [] });
    this.#sessionId = sessionId;
  }

  /** A turn runs. */
  get isBusy(): boolean {
    return this.#running !== null || this.#view.automaticTurnRuns;
  }

  /** Resolves when the agent has left. */
  get closed(): Promise<void> {
    return this.#connection.closed;
  }

  /** Resolves when no prompt runs or waits. */
  async settled(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  /** Takes a typed line: `/mode <mode>`, an answer, a message for the turn that runs, or a prompt. */
  type(line: string): void {
    const [, modeId] = /^\/mode\s+(\S+)\s*$/.exec(line) ?? [];
    if (modeId !== undefined) void this.#setMode(modeId);
    else if (this.#lines.type(line) === 'waiting') this.#surface.say('host', `noted: ${line.trim()}`);
  }

  /** Nobody types any more. */
  end(): void {
    this.#lines.end();
  }

  cancel(): void {
    void this.#connection.agent.notify(methods.agent.session.cancel, { sessionId: this.#sessionId });
  }

  /** The next prompt that was typed, if there is one. */
  #startNext(): void {
    const prompt = this.#lines.nextPrompt();
    if (prompt === undefined) return;
    this.#running = this.#run(prompt).finally(() => {
      this.#running = null;
      this.#startNext();
    });
  }

  async #run({ text, origin }: TypedPrompt): Promise<void> {
    this.#surface.turnStarted({ id: '', automatic: false, text });
    try {
      const { stopReason } = await this.#connection.agent.request(methods.agent.session.prompt, {
        sessionId: this.#sessionId,
        prompt: [{ type: 'text', text }],
        ...(origin !== 'user' && { _meta: { [`qwen.daemon.${origin}`]: true } }),
      });
      this.#surface.say('host', `the turn is over (${stopReason})`);
    } catch (error) {
      this.#surface.say('error', error instanceof Error ? error.message : String(error), pc.red);
    }
  }

  async #setMode(modeId: string): Promise<void> {
    try {
      await this.#connection.agent.request(methods.agent.session.setMode, { sessionId: this.#sessionId, modeId });
      this.#surface.say('host', `the mode is ${modeId} now`);
    } catch (error) {
      this.#surface.say('error', error instanceof Error ? error.message : String(error), pc.red);
    }
  }

  async #askPermission(
    { toolCall, options }: RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<RequestPermissionResponse> {
    const answer = await this.#surface.permission(shownCall(toolCall), signal);
    const kind = answer === 'allowed' ? 'allow_once' : 'reject_once';
    const option = options.find((offered) => offered.kind === kind);
    if (answer === 'cancelled' || option === undefined) return { outcome: { outcome: 'cancelled' } };
    return { outcome: { outcome: 'selected', optionId: option.optionId } };
  }
}
