import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { textOf } from '../../../examples/scripted-model/request.ts';
import { addedBy, todoWrite } from '../session-harness.ts';
import { continued, exhausted, startAgent } from './agent-harness.ts';

const agent = startAgent(['--todo-stop-guard', '--approval-mode', 'yolo']);
const OPEN = { tool_calls: [todoWrite({ a: 'pending' })] };
const DONE = { tool_calls: [todoWrite({ a: 'completed' })] };
/** Background work that ends when a file is there. */
const UNTIL_GO = { command: 'until [ -e go ]; do sleep 0.02; done; echo built', is_background: true };
const BUILD = { name: 'run_shell_command', arguments: UNTIL_GO };

test('[O4] [C4] [K2] a background shell that ends after the turn: the guard defers, and its result continues the chain', async () => {
  const session = await agent.session({
    responses: [
      { tool_calls: [todoWrite({ a: 'pending' }), BUILD] },
      { text: 'I wait for the build.' },
      DONE,
      { text: 'Built.' },
    ],
  });
  expect(await session.prompt('Build a.')).toMatchObject({ stopReason: 'end_turn', _meta: { reason: 'background' } });
  expect(session.notices).toEqual([]);
  await writeFile(join(session.cwd, 'go'), '');
  await session.until(() => session.automaticTurnsEnded === 1);
  const [notification] = addedBy(session.requests[2]);
  expect(notification?.text).toMatch(/^<task-notification>/);
  expect(notification?.text).toContain('built');
  // Its updates went to the client although no prompt was pending.
  expect(session.said).toContain('Built.');
  expect(session.updates.filter(({ sessionUpdate }) => sessionUpdate === 'user_message_chunk')).toMatchObject([
    { content: { text: notification?.text }, _meta: { source: 'automatic_turn', qwenDiscreteMessage: true } },
  ]);
  expect(session.updates.at(-1)).toMatchObject({
    _meta: { stopReason: 'end_turn', usage: { inputTokens: 40, outputTokens: 10, totalTokens: 50 } },
  });
  expect(textOf(session.requests[3]?.messages.at(-1))).not.toContain('<system-reminder>');
});

test('[C4] [B1] [B3] a related result keeps the budget, and carries the results that the live task had kept back', async () => {
  const session = await agent.session({
    responses: [OPEN, { text: 'One.' }, { tool_calls: [BUILD] }, { text: 'Built, I think.' }, { text: 'Yes.' }],
  });
  // The first guard stream begins the task; while that lives, its results wait.
  expect(await session.prompt('Build a.')).toMatchObject({ _meta: { reason: 'background' } });
  expect(session.notices).toEqual([continued(1, 1)]);
  await writeFile(join(session.cwd, 'go'), '');
  await session.until(() => session.automaticTurnsEnded === 1);
  expect(addedBy(session.requests[3]).map(({ role }) => role)).toEqual(['tool', 'user']);
  expect(session.notices).toEqual([continued(1, 1), continued(2, 1), exhausted(1)]);
});

test('[O4] [K2] a background shell that ends during the turn: its queued notification defers the guard, and runs after it', async () => {
  const begin = { name: 'run_shell_command', arguments: { command: 'echo $$ > pid', is_background: true } };
  const wait = {
    name: 'run_shell_command',
    arguments: { command: 'until [ -s pid ]; do :; done; while kill -0 $(cat pid) 2>/dev/null; do sleep 0.02; done' },
  };
  const session = await agent.session({
    responses: [{ tool_calls: [todoWrite({ a: 'pending' }), begin, wait] }, { text: 'One.' }, DONE, { text: 'Done.' }],
  });
  expect(await session.prompt('Build a.')).toMatchObject({ _meta: { reason: 'background' } });
  await session.until(() => session.automaticTurnsEnded === 1);
  expect(addedBy(session.requests[2])[0]?.text).toMatch(/^<task-notification>/);
  expect(session.notices).toEqual([]);
});

test('[K1] [C5] background work of an older request holds nothing back in a new one, and waits for it', async () => {
  const session = await agent.session({
    responses: [
      { tool_calls: [BUILD] },
      { text: 'Building.' },
      OPEN,
      { text: 'One.' },
      { text: 'Two.' },
      { text: 'Three.', pause_for: 'still live' },
      { text: 'The build has ended.' },
    ],
  });
  await session.prompt('Build.');
  const running = session.prompt('Do a.');
  await session.request(6);
  await writeFile(join(session.cwd, 'go'), '');
  session.release('still live');
  await running;
  expect(session.notices).toEqual([continued(1, 1), continued(2, 1), exhausted(1)]);
  await session.until(() => session.automaticTurnsEnded === 1);
  expect(addedBy(session.requests[6])[0]?.text).toMatch(/^<task-notification>/);
});

test('[T1] [R10] a sub-agent’s list neither arms nor becomes the session’s plan or reminder', async () => {
  const session = await agent.session((tag) => ({
    responses: [
      { tool_calls: [{ name: 'agent', arguments: { prompt: `Look around ${tag}` } }] },
      { text: 'It looked.' },
    ],
    conversations: [{ when: { system: 'You are a sub-agent' }, responses: [OPEN, { text: 'I saw nothing.' }] }],
  }));
  expect(await session.prompt('Delegate.')).toMatchObject({ _meta: { reason: 'nothing_unfinished' } });
  expect(session.notices).toEqual([]);
  expect(session.updates.map(({ sessionUpdate }) => sessionUpdate)).not.toContain('plan');
  expect(addedBy(session.requests.at(-1))).toEqual([{ role: 'tool', text: 'I saw nothing.' }]);
  expect(
    session.updates.find((update) => update.sessionUpdate === 'tool_call' && update.name === 'todo_write'),
  ).toMatchObject({ _meta: { subAgent: true } });
});

test('[T1] an MCP tool that shadows todo_write runs, and is not trusted', async () => {
  const server = new URL('shadowing-mcp-server.ts', import.meta.url).pathname;
  const session = await agent.session(
    { responses: [OPEN, { text: 'Done?' }] },
    {
      mcpServers: [
        { name: 'shadow', command: process.execPath, args: ['--import', import.meta.resolve('tsx'), server], env: [] },
      ],
    },
  );
  expect(await session.prompt('Do a.')).toMatchObject({ stopReason: 'end_turn' });
  expect(addedBy(session.requests[1])[0]?.text).toContain('serve another master');
  expect(session.updates.map(({ sessionUpdate }) => sessionUpdate)).not.toContain('plan');
  expect(session.notices).toEqual([]);
});

test('an MCP server that does not start is a clear error, and the agent lives', async () => {
  const missing = { name: 'missing', command: '/does/not/exist', args: [], env: [] };
  await expect(agent.session({ responses: [] }, { mcpServers: [missing] })).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining('mcpServers[0] (missing)') as string,
  });
});

let directory: string;
const cronFile = (): string => join(directory, 'cron.json');
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'agent-cron-'));
  await writeFile(cronFile(), JSON.stringify([{ id: 'tick', every_seconds: 0.1, prompt: 'Tick.' }]));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test('[C5] [K3] [Q1] [Q2] a cron fire waits while the chain can resume, and runs once it cannot', async () => {
  const cron = startAgent(['--todo-stop-guard', '--approval-mode', 'yolo', '--cron', cronFile()]);
  const { model } = await cron.start();
  model.add({
    conversations: [{ when: { last_user: 'Tick.' }, responses: [{ text: 'Ticked.', times: 1000 }] }],
    responses: [{ tool_calls: [todoWrite({ a: 'pending' }), BUILD] }, { text: 'I wait.' }, DONE, { text: 'Built.' }],
  });
  const session = await cron.session({});
  const automatic = (): readonly string[] =>
    session.updates.flatMap((update) =>
      update.sessionUpdate === 'user_message_chunk' && update.content.type === 'text' ? [update.content.text] : [],
    );
  await session.until(() => session.automaticTurnsEnded > 0);
  expect(await session.prompt('Build a.')).toMatchObject({ _meta: { reason: 'background' } });
  const before = automatic().length;
  await writeFile(join(session.cwd, 'go'), '');
  await session.until(() => automatic().length > before + 1);
  expect(automatic()[before]).toMatch(/^<task-notification>/);
  expect(automatic()[before + 1]).toBe('Tick.');
  expect(session.notices).toEqual([]);
});

test('[Q3] [O4] a follow-up is suggested after a turn that ends, and not while the chain can still resume', async () => {
  const suggesting = startAgent(['--todo-stop-guard', '--approval-mode', 'yolo', '--follow-ups']);
  const session = await suggesting.session({
    responses: [
      { text: 'Hello.' },
      { tool_calls: [todoWrite({ a: 'pending' }), BUILD] },
      { text: 'Building.' },
      DONE,
      { text: 'Built.' },
    ],
    conversations: [{ when: { system: 'You write a suggestion' }, responses: [{ text: 'Run the tests.' }] }],
  });
  const suggestions = (): readonly unknown[] =>
    session.updates.flatMap(({ _meta }) => (_meta?.['source'] === 'follow_up' ? [_meta['suggestion']] : []));
  await session.prompt('Hi.');
  await session.until(() => suggestions().length === 1);
  expect(suggestions()).toEqual(['Run the tests.']);
  expect(await session.prompt('Build a.')).toMatchObject({ _meta: { reason: 'background' } });
  await writeFile(join(session.cwd, 'go'), '');
  await session.until(() => session.automaticTurnsEnded === 1);
  // Two of them for the greeting, four for the build: none of these asked for a suggestion.
  expect(session.requests).toHaveLength(6);
});
