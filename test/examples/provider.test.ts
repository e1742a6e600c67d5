import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Model, ModelAnswer } from '../../examples/host/model.ts';
import { connectModel } from '../../examples/host/model.ts';
import { ContextOverflowError } from '../../examples/host/provider-errors.ts';

/** A server that speaks to the host byte by byte: what compatible servers really send is no script of ours. */
async function connect(answer: (response: ServerResponse) => void): Promise<Model> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      answer(response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return connectModel({ baseURL: `http://127.0.0.1:${address.port}/v1`, apiKey: 'none', model: 'some-model' });
}

const never = new AbortController().signal;

async function ask(model: Model): Promise<ModelAnswer> {
  const stream = await model.open({ messages: [{ role: 'user', content: 'Go.' }] }, never);
  return stream.read(() => undefined);
}

async function askFor(...chunks: readonly object[]): Promise<ModelAnswer> {
  const model = await connect((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.end('data: [DONE]\n\n');
  });
  return ask(model);
}

const piece = (delta: object, finish_reason: string | null = null): object => ({
  choices: [{ index: 0, delta, finish_reason }],
});
const part = (index: number | undefined, id: string | null | undefined, name: string | null, text: string): object =>
  piece({ tool_calls: [{ index, id, function: { name, arguments: text } }] });
const END = piece({}, 'tool_calls');

describe('an answer is put together from whatever pieces a server sends', () => {
  test.each([
    [
      'pieces of two calls that alternate',
      [part(0, 'a', 'list', '{"x"'), part(1, 'b', 'read', '{"y"'), part(1, null, null, ':2}'), part(0, '', '', ':1}')],
    ],
    [
      'the id and the name in each piece',
      [part(0, 'a', 'list', '{"x"'), part(0, 'a', 'list', ':1}'), part(1, 'b', 'read', '{"y":2}')],
    ],
    [
      'a new id with each piece of one call',
      [part(0, 'a', 'list', '{"x"'), part(0, 'a2', null, ':1}'), part(1, 'b', 'read', '{"y":2}')],
    ],
    ['one index for all calls', [part(0, 'a', 'list', '{"x":1}'), part(0, 'b', 'read', '{"y":2}')]],
    ['no index', [part(undefined, 'a', 'list', '{"x":1}'), part(undefined, 'b', 'read', '{"y":2}')]],
  ])('%s', async (_, chunks) => {
    const { toolCalls } = await askFor(piece({ role: 'assistant' }), ...chunks, END);
    expect(toolCalls).toEqual([
      { id: 'a', name: 'list', arguments: '{"x":1}' },
      { id: 'b', name: 'read', arguments: '{"y":2}' },
    ]);
  });

  test('[T6] a call whose id is empty gets one', async () => {
    const { toolCalls } = await askFor(part(0, '', 'list', '{}'), END);
    expect(toolCalls[0]?.id).toMatch(/^call-.+/);
  });

  test.each([
    ['a choice without a delta', [{ choices: [{ finish_reason: 'stop' }] }]],
    ['an empty end reason before the real one', [piece({}, ''), piece({}, 'stop'), piece({}, '')]],
    ['usage without choices', [piece({}, 'stop'), { usage: { prompt_tokens: 5, completion_tokens: 1 } }]],
    ['usage that counts nothing', [{ ...piece({}, 'stop'), usage: { prompt_tokens: null } }]],
  ])('%s', async (_, chunks) => {
    const { text, finishReason, usage } = await askFor(piece({ content: 'Hi.' }), ...chunks);
    expect({ text, finishReason }).toEqual({ text: 'Hi.', finishReason: 'stop' });
    expect(usage?.promptTokens ?? 5).toBe(5);
  });

  test('what is no piece of an answer is an error that names the field', async () => {
    await expect(askFor(piece({ content: 7 }))).rejects.toThrow('delta.content');
  });
});

describe('[F30] [H1] an overflow is recognised however the provider says it', () => {
  const tooLong = "This model's maximum context length is 4096 tokens.";
  test.each<[string, unknown]>([
    ['a code', { error: { message: 'Shorten it.', code: 'context_length_exceeded' } }],
    ['an error in an envelope', { error: { message: tooLong, code: 400 } }],
    ['an error without an envelope', { object: 'error', message: tooLong, code: 400 }],
    ['an error in a list', [{ error: { message: tooLong } }]],
    ['an error that is a text', { error: tooLong }],
    ...[
      'the request exceeds the available context size (4096 tokens)',
      'prompt is too long: 208310 tokens > 200000 maximum',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
      "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      'Input is too long for requested model.',
      'Range of input length should be [1, 129024]',
      'Your request exceeded model token limit: 131072',
      'input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000',
    ].map((message): [string, unknown] => [message, { error: { message } }]),
  ])('%s', async (_, body) => {
    const model = await connect((response) => {
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    await expect(ask(model)).rejects.toBeInstanceOf(ContextOverflowError);
  });

  test.each([
    [429, 'Too many tokens, please wait before trying again.'],
    [400, 'max_tokens must be positive'],
    [401, 'No such key.'],
  ])('%d %s: is none', async (status, message) => {
    const model = await connect((response) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ message }));
    });
    const error: unknown = await ask(model).catch((thrown: unknown) => thrown);
    expect(error).not.toBeInstanceOf(ContextOverflowError);
    expect(error).toMatchObject({ status, message: `${status} ${message}` });
  });
});
