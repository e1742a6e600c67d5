import { execFile } from 'node:child_process';
import { request } from 'node:http';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { ScriptedModel } from '../../../examples/scripted-model/server.ts';
import type { DaemonProcess } from './daemon-client.ts';
import { DaemonClient, scriptFor, startDaemonProcess, startWorld, temporaryDirectory } from './daemon-client.ts';

const run = promisify(execFile);
const Failed = z.object({ code: z.number(), stderr: z.string() });
let world: Awaited<ReturnType<typeof startWorld>>;
let client: DaemonClient;

beforeAll(async () => {
  world = await startWorld();
  client = new DaemonClient(world.daemon.url);
}, 60_000);
afterAll(() => world.stop());

/** A request with headers that `fetch` does not let one set. */
function raw(
  path: string,
  headers: Record<string, string>,
  { method = 'POST', body = '' }: { method?: string; body?: string } = {},
): Promise<{ status: number | undefined; text: string }> {
  return new Promise((resolve, reject) => {
    // A connection of its own: the daemon closes one whose body it has not read to the end.
    const sent = request(`${world.daemon.url}${path}`, { method, headers, agent: false }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += chunk.toString()));
      response.on('end', () => {
        resolve({ status: response.statusCode, text });
      });
    });
    sent.on('error', reject);
    // In two pieces, a body goes out without its length.
    if (headers['transfer-encoding'] === 'chunked') sent.write(body);
    else sent.setHeader('content-length', Buffer.byteLength(body)).write(body);
    sent.end();
  });
}

async function startFails(...flags: string[]): Promise<z.output<typeof Failed>> {
  try {
    await run(process.execPath, ['--import', 'tsx', 'examples/daemon/main.ts', '--port', '0', ...flags], {
      env: { ...process.env, OPENAI_BASE_URL: world.model.url },
    });
  } catch (error) {
    return Failed.parse(error);
  }
  throw new Error('It started.');
}

test('the daemon listens on loopback, and says so in one line of JSON', () => {
  expect(world.daemon.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});

describe('requests that do not fit get a clear 4xx', () => {
  let session: string;
  beforeAll(async () => {
    const { body } = await client.send('POST', '/sessions', { cwd: process.cwd() });
    session = z.string().parse(body['sessionId']);
  });

  test.each([
    ['no body', '/sessions', {}, 400, 'cwd'],
    ['a wrong type', '/sessions', { cwd: 1 }, 400, 'cwd'],
    ['an unknown field', '/sessions', { cwd: '/', mode: 'yolo' }, 400, 'mode'],
    ['a relative directory', '/sessions', { cwd: 'src' }, 400, 'cwd must be the absolute path of a directory.'],
    ['no directory', '/sessions', { cwd: '/nowhere/at/all' }, 400, 'cwd must be the absolute path of a directory.'],
    ['a file', '/sessions', { cwd: `${process.cwd()}/package.json` }, 400, 'cwd must be'],
    ['an unknown session', '/sessions/none/prompts', { text: 'x' }, 404, 'There is no session none'],
    ['no text', '/sessions/:id/prompts', {}, 400, 'text'],
    ['a blank text', '/sessions/:id/prompts', { text: ' ' }, 400, 'text: must not be blank'],
    ['an array', '/sessions/:id/prompts', [], 400, 'body'],
    ['retry as a word', '/sessions/:id/prompts', { text: 'x', retry: 'yes' }, 400, 'retry'],
    ['both marks', '/sessions/:id/prompts', { text: 'x', retry: true, continue: true }, 400, 'not together'],
    ['a message while no turn runs', '/sessions/:id/messages', { text: 'x' }, 409, 'Send a prompt instead.'],
    ['a message of the wrong shape', '/sessions/:id/messages', { message: 'x' }, 400, 'text'],
    ['an unknown permission', '/sessions/:id/permissions/none', { optionId: 'x' }, 404, 'No permission request none'],
    ['no option', '/sessions/:id/permissions/none', {}, 400, 'optionId'],
    ['an unknown path', '/nothing', {}, 404, 'There is no POST /nothing.'],
    ['a path that climbs', '/sessions/..%2f..%2fetc/prompts', { text: 'x' }, 404, 'There is no'],
  ])('%s', async (_, path, body, status, words) => {
    const answer = await client.send('POST', path.replace(':id', session), body);
    expect(answer.status).toBe(status);
    expect(answer.body['error']).toContain(words);
  });

  test('no JSON', async () => {
    const answer = await raw('/sessions', { 'content-type': 'application/json' }, { body: '{"cwd":' });
    expect(answer).toEqual({ status: 400, text: '{"error":"The body is no JSON."}' });
  });

  test('another type than JSON', async () => {
    const answer = await raw('/sessions', { 'content-type': 'text/plain' }, { body: '{"cwd":"/"}' });
    expect(answer.status).toBe(415);
    expect(answer.text).toContain('application/json');
  });

  test.each([
    ['known', {}],
    ['unknown', { 'transfer-encoding': 'chunked' }],
  ])('a body that is too large, its length %s', async (_, headers) => {
    const body = JSON.stringify({ text: 'x'.repeat(1_100_000) });
    const answer = await raw(
      `/sessions/${session}/prompts`,
      { 'content-type': 'application/json', ...headers },
      { body },
    );
    expect(answer).toEqual({ status: 413, text: '{"error":"The body is larger than 1048576 bytes."}' });
  });

  test('a body that is too large does not take the next request down with its connection', async () => {
    for (let round = 0; round < 3; round++) {
      const large = await client.send('POST', '/sessions', { cwd: 'x'.repeat(3_000_000) });
      expect(large.status).toBe(413);
      for (let next = 0; next < 3; next++) expect((await client.send('POST', '/sessions', {})).status).toBe(400);
    }
  });

  test('a body that nobody asks for does not take the next request down with its connection', async () => {
    for (let round = 0; round < 3; round++) {
      const unknown = await client.send('POST', '/sessions/none/prompts', { text: 'x'.repeat(900_000) });
      expect(unknown.status).toBe(404);
      for (let next = 0; next < 3; next++) expect((await client.send('POST', '/sessions', {})).status).toBe(400);
    }
  });

  test('an event id that is none', async () => {
    for (const id of ['x', '-1', '1.5', '1e400']) {
      const answer = await raw(`/sessions/${session}/events`, { 'last-event-id': id }, { method: 'GET' });
      expect(answer.status).toBe(400);
      expect(answer.text).toContain('Last-Event-ID');
    }
  });

  test('too many prompts and messages', async () => {
    world.model.add(scriptFor('Flood', [{ text: 'Never.', pause_for: 'never' }]));
    const flooded = await client.open();
    const prompts = await Promise.all(
      Array.from({ length: 101 }, () => flooded.send('POST', '/prompts', { text: 'Flood' })),
    );
    const messages = await Promise.all(
      Array.from({ length: 101 }, () => flooded.send('POST', '/messages', { text: 'More' })),
    );
    for (const answers of [prompts, messages]) {
      expect(answers.filter(({ status }) => status === 202)).toHaveLength(100);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(1);
    }
    await flooded.send('DELETE', '');
  });
});

test.each([
  ['a foreign host, as DNS rebinding has it', { host: 'evil.example' }],
  ['a host that looks local', { host: '127.0.0.1.evil.example' }],
  ['the page of another origin', { origin: 'https://evil.example' }],
  ['a page of no origin', { origin: 'null' }],
])('[D4] a request is refused that names %s', async (_, headers) => {
  const { body } = await client.send('POST', '/sessions', { cwd: process.cwd() });
  for (const path of [`/sessions/${String(body['sessionId'])}/cancel`, '/sessions', '/acp']) {
    const answer = await raw(path, { 'content-type': 'application/json', ...headers }, { body: '{"cwd":"/"}' });
    expect(answer.status).toBe(403);
  }
});

test('any address but loopback needs a token', async () => {
  const { code, stderr } = await startFails('--host', '0.0.0.0');
  expect(code).toBe(1);
  expect(stderr).toContain('--token');
});

test.each([
  [['--port', 'x'], '--port'],
  [['--grace-seconds', '-1'], '--grace-seconds'],
  [['--approval-mode', 'all'], '--approval-mode'],
  [['--cron', 'nowhere.json'], '--cron nowhere.json'],
])('%s is refused at the start', async (flags, words) => {
  const { code, stderr } = await startFails(...flags);
  expect(code).toBe(1);
  expect(stderr).toContain(words);
});

describe('with a token and a root', () => {
  let daemon: DaemonProcess;
  let root: string;
  let model: ScriptedModel;
  beforeAll(async () => {
    ({ model } = world);
    root = process.cwd();
    daemon = await startDaemonProcess(model, ['--host', '0.0.0.0', '--root', `${root}/src`], {
      DAEMON_TOKEN: 'secret',
    });
  }, 60_000);
  afterAll(() => daemon.stop());

  test.each([
    ['no token', undefined, 401],
    ['another token', 'Bearer secreT', 401],
    ['a longer one', 'Bearer secret1', 401],
    ['an empty one', 'Bearer ', 400],
    ['another scheme', 'Basic secret', 400],
  ])('%s opens no route', async (_, authorization, status) => {
    for (const path of ['/sessions', '/sessions/none/events', '/acp', '/nothing']) {
      const response = await fetch(`${daemon.url}${path}`, {
        method: path.endsWith('events') ? 'GET' : 'POST',
        headers: { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) },
      });
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ error: expect.stringContaining('token') as unknown });
    }
  });

  test('the token opens, and sessions stay inside the root', async () => {
    const holder = new DaemonClient(daemon.url, { authorization: 'Bearer secret' });
    expect(await holder.send('POST', '/sessions', { cwd: `${root}/src/acp` })).toMatchObject({ status: 201 });
    for (const cwd of [root, `${root}/src/../test`, '/', await temporaryDirectory()]) {
      expect(await holder.send('POST', '/sessions', { cwd })).toMatchObject({ status: 403 });
    }
  });
});
