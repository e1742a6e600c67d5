import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { ScriptedModel } from '../../../examples/scripted-model/server.ts';
import { startScriptedModel } from '../../../examples/scripted-model/server.ts';
import type { AgentProcess } from './agent-harness.ts';
import { spawnAgent } from './agent-harness.ts';

/** Every line of standard output must be one of these, and nothing else. */
const Message = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.number(), z.string(), z.null()]).optional(),
  method: z.string().optional(),
  result: z.unknown().optional(),
  params: z.unknown().optional(),
  error: z.looseObject({ code: z.number(), message: z.string() }).optional(),
});
type Message = z.output<typeof Message>;

/** The agent's bare standard input and output. */
class Wire {
  readonly process: AgentProcess;
  readonly messages: Message[] = [];
  readonly exited: Promise<unknown>;
  readonly #watchers = new Set<() => void>();
  #ids = 0;

  constructor(modelUrl: string) {
    this.process = spawnAgent(['--todo-stop-guard', '--approval-mode', 'yolo'], modelUrl);
    this.exited = once(this.process, 'exit').then(([code]: unknown[]) => code);
    createInterface({ input: this.process.stdout }).on('line', (line) => {
      this.messages.push(Message.parse(JSON.parse(line)));
      for (const look of this.#watchers) look();
    });
  }

  line(text: string): void {
    this.process.stdin.write(`${text}\n`);
  }

  /** Sends a request and resolves with its response. */
  ask(method: string, params?: unknown): Promise<Message> {
    const id = ++this.#ids;
    this.line(JSON.stringify({ jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) }));
    return this.response((message) => message.id === id && message.method === undefined);
  }

  response(isIt: (message: Message) => boolean): Promise<Message> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.messages.find(isIt);
        if (found === undefined) return;
        this.#watchers.delete(look);
        resolve(found);
      };
      this.#watchers.add(look);
      look();
    });
  }

  async session(): Promise<string> {
    const response = await this.ask('session/new', { cwd: process.cwd(), mcpServers: [] });
    return z.object({ sessionId: z.string() }).parse(response.result).sessionId;
  }
}

let model: ScriptedModel;
let wire: Wire;
beforeAll(async () => {
  model = await startScriptedModel({});
  wire = new Wire(model.url);
  await wire.ask('initialize', { protocolVersion: 1, clientCapabilities: {} });
});
afterAll(async () => {
  wire.process.kill();
  await wire.exited;
  await model.close();
});

describe('what nobody should send', () => {
  test('a malformed line is answered with a parse error', async () => {
    wire.line('{"jsonrpc": "2.0", "id":');
    expect(await wire.response(({ id, error }) => id === null && error?.code === -32700)).toBeDefined();
  });

  test.each([
    ['a method that does not exist', 'craft/none', { sessionId: 'x' }, -32601],
    [
      'a session that does not exist',
      'session/prompt',
      { sessionId: 'x', prompt: [{ type: 'text', text: 'Hi' }] },
      -32002,
    ],
    ['an empty session id', 'craft/branch', { sessionId: '' }, -32002],
    ['no session id', 'craft/queuedPromptDropped', {}, -32602],
    ['a relative cwd', 'session/new', { cwd: '.', mcpServers: [] }, -32602],
    ['a cwd that is no directory', 'session/new', { cwd: '/does/not/exist', mcpServers: [] }, -32602],
    ['turns that are no number', 'craft/rewind', { sessionId: 'x', turns: 'one' }, -32602],
    ['params that are no object', 'session/prompt', 'hello', -32602],
  ])('%s is answered with an error', async (_, method, params, code) => {
    expect((await wire.ask(method, params)).error?.code).toBe(code);
  });

  test('bad parameters of a real session name what is wrong', async () => {
    const sessionId = await wire.session();
    expect((await wire.ask('session/set_mode', { sessionId, modeId: 'turbo' })).error?.message).toContain(
      'modeId must be one of default, plan, yolo',
    );
    expect((await wire.ask('craft/rewind', { sessionId, turns: 1 })).error?.message).toContain('turns must be');
    expect((await wire.ask('craft/rewind', { sessionId })).error?.message).toContain('turns: ');
    expect((await wire.ask('craft/changeDirectory', { sessionId, cwd: 'sub' })).error?.message).toContain(
      'cwd must be',
    );
    expect((await wire.ask('session/prompt', { sessionId, prompt: [] })).error?.message).toContain(
      'prompt has no text',
    );
    const image = { type: 'image', mimeType: 'image/png', data: '' };
    expect((await wire.ask('session/prompt', { sessionId, prompt: [image] })).error?.message).toContain('prompt[0]');
  });

  test('after all of it the agent works', async () => {
    model.add({ responses: [{ text: 'Hello.' }] });
    const sessionId = await wire.session();
    const { result } = await wire.ask('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Hi' }] });
    expect(result).toMatchObject({ stopReason: 'end_turn' });
  });
});

test('standard output carries the protocol only, whatever the tools print', async () => {
  const print = (command: string): { name: string; arguments: Record<string, unknown> } => ({
    name: 'run_shell_command',
    arguments: { command },
  });
  model.add({
    responses: [
      {
        tool_calls: [print('echo out; echo err >&2; printf "no newline"; echo > /proc/$PPID/nothing'), print('exit 3')],
      },
      { text: 'Printed.' },
    ],
  });
  const sessionId = await wire.session();
  await wire.ask('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Print.' }] });
  // Every line so far was parsed as a message; the output came as the result of the call.
  expect(JSON.stringify(wire.messages)).toContain('no newline');
});

describe('the end', () => {
  test.each([
    ['of its input', (ending: Wire) => void ending.process.stdin.end()],
    ['by SIGTERM', (ending: Wire) => void ending.process.kill('SIGTERM')],
  ])('%s ends everything that the sessions have begun, and the exit code is 0', async (_, end) => {
    const directory = await mkdtemp(join(tmpdir(), 'agent-end-'));
    const life = join(directory, 'life');
    execFileSync('/bin/sh', ['-c', 'mkfifo "$0"', life]);
    // The pipe ends when nobody is left that could write into it.
    const command = `exec 3> ${life}; echo alive >&3; exec sleep 600`;
    const reader = createReadStream(life, 'utf8');
    model.add({
      responses: [
        { tool_calls: [{ name: 'run_shell_command', arguments: { command, is_background: true } }] },
        { text: 'Sleeping.' },
      ],
    });
    const ending = new Wire(model.url);
    await ending.ask('initialize', { protocolVersion: 1, clientCapabilities: {} });
    const sessionId = await ending.session();
    const alive = once(reader, 'data');
    await ending.ask('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Sleep.' }] });
    expect(await alive).toEqual(['alive\n']);
    const dead = once(reader, 'end');
    end(ending);
    expect(await ending.exited).toBe(0);
    await dead;
    await rm(directory, { recursive: true });
  });

  test('a script that does not fit is told on standard error, and the exit code is 1', async () => {
    const failing = spawnAgent(['--script', '/does/not/exist.json'], '');
    const [code] = (await once(failing, 'exit')) as unknown[];
    expect(code).toBe(1);
  });
});
