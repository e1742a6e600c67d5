import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { textOf } from '../../../examples/scripted-model/request.ts';
import { todoWrite } from '../session-harness.ts';
import { continued, exhausted, startAgent } from './agent-harness.ts';

const agent = startAgent(['--todo-stop-guard', '--approval-mode', 'yolo']);
const OPEN = { tool_calls: [todoWrite({ a: 'pending' })] };
const LIST = { tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }] };
const Branched = z.object({ sessionId: z.string() });

test('[C6] [T6] a rewind during the turn: its late list arms nothing, and the next prompt does not know it', async () => {
  const session = await agent.session({
    responses: [{ text: 'First.' }, { ...OPEN, pause_for: 'rewound' }, { text: 'Done?' }, { text: 'Third.' }],
  });
  await session.prompt('One.');
  const running = session.prompt('Two.');
  await session.request(2);
  expect(await session.call('craft/rewind', { turns: 1 })).toEqual({});
  session.release('rewound');
  await running;
  expect(session.notices).toEqual([]);
  await session.prompt('Three.');
  expect(session.requests[3]?.messages.slice(1).map(textOf)).toEqual([`One. ${session.tag}`, 'First.', 'Three.']);
});

test('[C6] a changed directory with a late list: trust is gone, and the tools work there', async () => {
  const session = await agent.session({
    responses: [{ ...OPEN, pause_for: 'changed' }, LIST, { text: 'Done?' }, { text: 'Hello.' }],
  });
  await mkdir(join(session.cwd, 'sub', 'found'), { recursive: true });
  const running = session.prompt('Do it.');
  await session.request(1);
  expect(await session.call('craft/changeDirectory', { cwd: join(session.cwd, 'sub') })).toEqual({});
  session.release('changed');
  await running;
  expect(textOf(session.requests[2]?.messages.findLast(({ role }) => role === 'tool'))).toContain('found/');
  expect(session.notices).toEqual([]);
  await session.continue('Go on.');
  expect(session.requests).toHaveLength(4);
});

test('[C6] a directory that cannot be changed to leaves the trust as it is', async () => {
  const session = await agent.session({
    responses: [OPEN, { text: 'One.', wait_for: 'refused' }, { text: 'Two.' }, { text: 'Three.' }],
  });
  const running = session.prompt('Do it.');
  await session.request(2);
  const nowhere = session.call('craft/changeDirectory', { cwd: join(session.cwd, 'nowhere') });
  await expect(nowhere).rejects.toMatchObject({ code: -32602 });
  session.release('refused');
  await running;
  expect(session.notices).toEqual([continued(1, 1), continued(2, 1), exhausted(1)]);
});

test('[C6] a branch during the turn: neither side continues, and a late list arms neither', async () => {
  const session = await agent.session({
    responses: [
      { text: 'First.' },
      { ...OPEN, pause_for: 'branched' },
      { text: 'Done?' },
      { text: 'I am the branch.' },
    ],
  });
  await session.prompt('One.');
  const running = session.prompt('Two.');
  await session.request(2);
  const { sessionId } = Branched.parse(await session.call('craft/branch'));
  const branch = await agent.adopt(sessionId, session.cwd, session.tag);
  session.release('branched');
  await running;
  expect(session.notices).toEqual([]);
  await branch.prompt('And you?');
  expect(branch.said).toBe('I am the branch.');
  expect(branch.notices).toEqual([]);
  expect(session.requests[3]?.messages.slice(1, 3).map(textOf)).toEqual([`One. ${session.tag}`, 'First.']);
});

test('[C9] a session that is closed is gone, and its turn is cancelled', async () => {
  const sleep = { name: 'run_shell_command', arguments: { command: 'sleep 600' } };
  const session = await agent.session({ responses: [{ tool_calls: [todoWrite({ a: 'pending' }), sleep] }] });
  const running = session.prompt('Sleep.');
  await session.untilTool('run_shell_command');
  await session.call('session/close');
  expect(await running).toMatchObject({ stopReason: 'cancelled' });
  await expect(session.prompt('Hello.')).rejects.toMatchObject({ code: -32002, data: { sessionId: session.id } });
  expect(session.notices).toEqual([]);
});

test('[C7] a change between modes other than plan keeps the chain', async () => {
  const session = await agent.session({
    responses: [OPEN, { text: 'One.', wait_for: 'changed mode' }, { text: 'Two.' }, { text: 'Three.' }],
  });
  const running = session.prompt('Do it.');
  await session.request(2);
  await session.setMode('default');
  session.release('changed mode');
  await running;
  expect(session.notices).toEqual([continued(1, 1), continued(2, 1), exhausted(1)]);
});

test('[C1] a prompt sent while another runs supersedes it', async () => {
  const session = await agent.session({ responses: [OPEN, { text: 'N', pause_for: 'never' }, { text: 'Hello.' }] });
  const first = session.prompt('Do it.');
  await session.request(2);
  const second = session.prompt('Never mind.');
  expect(await first).toMatchObject({ stopReason: 'cancelled' });
  expect(await second).toMatchObject({ stopReason: 'end_turn' });
  expect(session.notices).toEqual([]);
});
