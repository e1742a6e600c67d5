import { client, methods, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import type {
  ClientConnection,
  PromptResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionNotification,
} from '@agentclientprotocol/sdk';
import { createHttpStream } from '@agentclientprotocol/sdk/experimental/http-client';
import { onTestFinished } from 'vitest';
import { Watch } from '../../../examples/scripted-model/watch.ts';

/** A client of `/acp`, whose connection can be lost as a network loses it. */
export class AcpHttpClient {
  readonly updates: SessionNotification['update'][] = [];
  /** Questions that were asked, in order; each is answered by the test. */
  readonly questions: { request: RequestPermissionRequest; answer(response: RequestPermissionResponse): void }[] = [];
  readonly #connection: ClientConnection;
  readonly #line: AbortController;
  readonly #watch = new Watch();

  private constructor(url: string) {
    const line = new AbortController();
    this.#line = line;
    const stream = createHttpStream(`${url}/acp`, {
      // Every request of this client goes over one line, which can be cut: also the goodbye that the SDK would send.
      fetch: (input, init = {}) =>
        fetch(input, { ...init, signal: init.signal ? AbortSignal.any([init.signal, line.signal]) : line.signal }),
    });
    this.#connection = client({ name: 'test' })
      .onNotification(methods.client.session.update, ({ params }) => {
        this.updates.push(params.update);
        this.#watch.changed();
      })
      .onRequest(
        methods.client.session.requestPermission,
        ({ params }) =>
          new Promise<RequestPermissionResponse>((answer) => {
            this.questions.push({ request: params, answer });
            this.#watch.changed();
          }),
      )
      .connect(stream);
    onTestFinished(() => {
      this.cut();
    });
  }

  static async connect(url: string): Promise<AcpHttpClient> {
    const connected = new AcpHttpClient(url);
    await connected.#connection.agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: {},
    });
    return connected;
  }

  /** The network is gone, without a word. */
  cut(): void {
    this.#line.abort();
  }

  /** A goodbye. */
  close(): void {
    this.#connection.close();
  }

  async open(cwd: string): Promise<string> {
    return (await this.#connection.agent.request(methods.agent.session.new, { cwd, mcpServers: [] })).sessionId;
  }

  async load(sessionId: string): Promise<void> {
    await this.#connection.agent.request(methods.agent.session.load, { sessionId, cwd: '/', mcpServers: [] });
  }

  prompt(sessionId: string, text: string): Promise<PromptResponse> {
    return this.#connection.agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: 'text', text }],
    });
  }

  async cancel(sessionId: string): Promise<void> {
    await this.#connection.agent.notify(methods.agent.session.cancel, { sessionId });
  }

  /** Calls an extension method. */
  call(method: string, params: Record<string, unknown>): Promise<unknown> {
    return this.#connection.agent.request(method, params);
  }

  async closeSession(sessionId: string): Promise<void> {
    await this.#connection.agent.request(methods.agent.session.close, { sessionId });
  }

  /** Resolves when what was shown and asked, now or later, makes this true. */
  until(isSo: () => boolean): Promise<void> {
    return this.#watch.until(isSo);
  }

  /** What the agent has said, a line for each message. */
  get said(): readonly string[] {
    return this.updates.flatMap((update) =>
      update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? [update.content.text] : [],
    );
  }
}
