import { once } from 'node:events';
import type { HttpBindings } from '@hono/node-server';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { streamSSE } from 'hono/streaming';
import * as z from 'zod';
import { Conversations } from './conversations.ts';
import { ChatRequest } from './request.ts';
import type { ScriptInput, ScriptedResponse } from './script.ts';
import { parseScript } from './script.ts';
import { playStream, wholeAnswer } from './stream.ts';
import { Watch } from './watch.ts';

/** A scripted OpenAI-compatible server on a loopback port. */
export interface ScriptedModel {
  /** For `OPENAI_BASE_URL`. */
  readonly url: string;
  /** Every request that the model got, oldest first: what the host really sent. */
  readonly requests: readonly ChatRequest[];
  /** Resolves with the n-th request (from 1) when it is there. */
  request(ordinal: number): Promise<ChatRequest>;
  /** Plays a further script: its conversations come before those that were there. One server can serve many tests. */
  add(script: ScriptInput): void;
  /** Lets the responses with this `wait_for` or `pause_for` go on, those that wait and those to come. */
  release(name: string): void;
  /** Forgets every request, script and gate, which a long run would pile up. Nobody may be waiting for it. */
  forget(): void;
  /** How many responses of the script nobody has asked for. */
  readonly responsesLeft: number;
  /** Ends every connection and frees the port. */
  close(): Promise<void>;
}

/**
 * Starts the server.
 *
 * @param script - parsed here; an error names the field that does not fit.
 */
export async function startScriptedModel(script: ScriptInput): Promise<ScriptedModel> {
  const conversations = new Conversations(parseScript(script));
  const requests: ChatRequest[] = [];
  const arrivals = new Watch();
  const gates = new Gates();
  let calls = 0;
  const callId = (): string => `call_${++calls}`;

  const app = new Hono<{ Bindings: HttpBindings }>();
  app.post('/v1/chat/completions', async (context) => {
    const parsed = ChatRequest.safeParse(await context.req.json().catch(() => null));
    if (!parsed.success) return failure(400, z.prettifyError(parsed.error));
    requests.push(parsed.data);
    arrivals.changed();

    const response = conversations.next(parsed.data);
    if (response === null) return failure(500, 'The script has no response left for this request.');
    if (response.wait_for !== undefined) await gates.pass(response.wait_for);
    if (response.error !== undefined)
      return failure(response.error.status, response.error.message, response.error.code);
    if (!parsed.data.stream) return context.json(wholeAnswer(parsed.data, response, callId));
    return streamSSE(context, async (stream) => {
      const end = await playStream(stream, parsed.data, response, callId, () => pause(response));
      if (end === 'complete') return;
      // What was said still arrives; the end does not.
      await new Promise(setImmediate);
      context.env.outgoing.socket?.destroySoon();
    });
  });

  const pause = ({ pause_for }: ScriptedResponse): Promise<void> =>
    pause_for === undefined ? Promise.resolve() : gates.pass(pause_for);

  const server = createAdaptorServer({ fetch: app.fetch });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');

  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    requests,
    request: (ordinal) => arrivals.find(() => requests[ordinal - 1]),
    add: (further) => {
      conversations.add(parseScript(further));
    },
    release: (name) => {
      gates.open(name);
    },
    forget: () => {
      requests.length = 0;
      conversations.clear();
      gates.clear();
    },
    get responsesLeft() {
      return conversations.left;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      await closed;
    },
  };
}

/** Named gates: each lets nobody pass until it is opened, and everybody after that. */
class Gates {
  readonly #gates = new Map<string, { readonly opened: Promise<void>; readonly open: () => void }>();

  clear(): void {
    this.#gates.clear();
  }

  pass(name: string): Promise<void> {
    return this.#gate(name).opened;
  }

  open(name: string): void {
    this.#gate(name).open();
  }

  #gate(name: string): { readonly opened: Promise<void>; readonly open: () => void } {
    const known = this.#gates.get(name);
    if (known !== undefined) return known;
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const gate = { opened, open };
    this.#gates.set(name, gate);
    return gate;
  }
}

/** An error body as OpenAI writes it. */
function failure(status: number, message: string, code: string | null = null): Response {
  const type = status === 400 ? 'invalid_request_error' : 'server_error';
  return Response.json({ error: { message, type, code, param: null } }, { status });
}
