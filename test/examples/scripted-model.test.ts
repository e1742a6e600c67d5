import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI from 'openai';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectModel } from '../../examples/host/model.ts';
import { ContextOverflowError } from '../../examples/host/provider-errors.ts';
import type { Model } from '../../examples/host/model.ts';
import type { ScriptInput } from '../../examples/scripted-model/script.ts';
import { parseScript, readScript } from '../../examples/scripted-model/script.ts';
import type { ScriptedModel } from '../../examples/scripted-model/server.ts';
import { startScriptedModel } from '../../examples/scripted-model/server.ts';

async function start(script: ScriptInput): Promise<{ server: ScriptedModel; model: Model }> {
  const server = await startScriptedModel(script);
  onTestFinished(() => server.close());
  return { server, model: connectModel({ baseURL: server.url, apiKey: 'none', model: 'scripted' }) };
}

const never = new AbortController().signal;
const ask = (text: string, system = ''): { messages: OpenAI.ChatCompletionMessageParam[] } => ({
  messages: [...(system === '' ? [] : [{ role: 'system' as const, content: system }]), { role: 'user', content: text }],
});

describe('the script', () => {
  test.each([
    [{ responses: [{ txt: 'Hi' }] }, 'responses[0]'],
    [{ responses: [{ error: { status: 200 } }] }, 'responses[0].error.status'],
    [{ responses: [{ times: 0 }] }, 'responses[0].times'],
    [{ conversations: [{ when: { user: 'x' }, responses: [{}] }] }, 'conversations[0].when'],
    [[], 'expected object'],
  ])('%j: the error names the field', (script, field) => {
    expect(() => parseScript(script)).toThrow(field);
  });

  test('a file that cannot be read as one is named', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'script-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const path = join(directory, 'script.json');
    await expect(readScript(path)).rejects.toThrow(path);
    await writeFile(path, '{');
    await expect(readScript(path)).rejects.toThrow(path);
  });
});

describe('through the official client', () => {
  test('words, tool calls, the end and the usage arrive', async () => {
    const { model, server } = await start({
      responses: [
        {
          text: 'I look around.',
          tool_calls: [
            { name: 'list_directory', arguments: { path: '.' } },
            { name: 'read_file', arguments: '{"broken', id: 'own' },
          ],
          usage: { prompt_tokens: 7, completion_tokens: 3 },
        },
      ],
    });
    const deltas: string[] = [];
    const stream = await model.open(ask('Hello'), never);
    const answer = await stream.read((delta) => deltas.push(delta));
    expect(deltas).toEqual(['I', ' look', ' around.']);
    expect(answer).toMatchObject({
      text: 'I look around.',
      finishReason: 'tool_calls',
      usage: { promptTokens: 7, completionTokens: 3 },
      toolCalls: [
        { name: 'list_directory', arguments: '{"path":"."}' },
        { id: 'own', name: 'read_file', arguments: '{"broken' },
      ],
    });
    expect(server.requests[0]?.messages).toEqual([{ role: 'user', content: 'Hello' }]);
  });

  test('each conversation gets its own responses, in order; one that has none left says so', async () => {
    const { model, server } = await start({
      responses: [{ text: 'main 1' }, { text: 'main 2' }],
      conversations: [
        { when: { system: 'sub-agent' }, responses: [{ text: 'sub' }] },
        { when: { first_user: 'two' }, responses: [{ text: 'second session' }] },
      ],
    });
    const answers: string[] = [];
    for (const request of [ask('one'), ask('x', 'a sub-agent'), ask('two'), ask('one')]) {
      answers.push((await (await model.open(request, never)).read(() => undefined)).text);
    }
    expect(answers).toEqual(['main 1', 'sub', 'second session', 'main 2']);
    expect(server.responsesLeft).toBe(0);
    await expect(model.open(ask('one'), never)).rejects.toThrow('no response left');
  });

  test('an error comes before the stream is open, with its status', async () => {
    const { model } = await start({
      responses: [
        { error: { status: 429, message: 'slow down' } },
        { error: { status: 400, code: 'context_length_exceeded' } },
      ],
    });
    await expect(model.open(ask('x'), never)).rejects.toMatchObject({ status: 429 });
    await expect(model.open(ask('x'), never)).rejects.toBeInstanceOf(ContextOverflowError);
  });

  test('[B2] a connection that dies after the first words was open, and fails', async () => {
    const { model } = await start({ responses: [{ text: 'I am', breaks: true }] });
    const stream = await model.open(ask('x'), never);
    await expect(stream.read(() => undefined)).rejects.toThrow();
    expect(stream.text).toBe('I am');
  });

  test('an abort rejects with its reason, before and inside the stream', async () => {
    const { model, server } = await start({
      responses: [{ wait_for: 'never' }, { text: 'I', pause_for: 'never' }],
    });
    const before = new AbortController();
    const opening = model.open(ask('x'), before.signal);
    await server.request(1);
    before.abort(new Error('enough'));
    await expect(opening).rejects.toThrow('enough');

    const inside = new AbortController();
    const stream = await model.open(ask('x'), inside.signal);
    const reading = stream.read(() => undefined);
    inside.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
  });

  test('a client that does not stream gets one body', async () => {
    const { server } = await start({ responses: [{ text: 'Hi.' }] });
    const client = new OpenAI({ baseURL: server.url, apiKey: 'none', maxRetries: 0 });
    const answer = await client.chat.completions.create({ model: 'x', messages: [{ role: 'user', content: 'x' }] });
    expect(answer.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'Hi.' } });
  });

  test('a body that is no request gets a 400 that names the field', async () => {
    const { server } = await start({});
    const answer = await fetch(`${server.url}/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"model":"x"}',
    });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('messages');
  });
});
