import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addedBy, todoWrite } from '../session-harness.ts';
import { continued, exhausted, guardPrompt, startAgent } from './agent-harness.ts';

// The commands run in the session's directory: a test puts the hook that it wants there. One that is missing fails.
const agent = startAgent([
  '--todo-stop-guard',
  '--approval-mode',
  'yolo',
  '--stop-hook',
  'exec sh ./stop-hook',
  '--post-tool-hook',
  'exec sh ./post-tool-hook',
]);
const OPEN = { tool_calls: [todoWrite({ a: 'pending' })] };
const LIST = { tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }] };
const BLOCK = `echo '{"decision":"block","reason":"Run the tests."}'`;
/** Blocks the first stop and no other, and writes its input down. */
const BLOCK_ONCE = `cat >> asked; echo >> asked; [ -e blocked ] || { touch blocked; ${BLOCK}; }`;
const NOTHING = { messages: [] };

test('[O3] [O5] [O7] [F23] [F24] hook and guard block the same stop: one request, the hook first, each with its own counter', async () => {
  const session = await agent.session(
    { responses: [OPEN, { text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }] },
    { files: { 'stop-hook': BLOCK_ONCE } },
  );
  await session.prompt('Do a.');
  expect(session.requests).toHaveLength(4);
  expect(addedBy(session.requests[2])).toEqual([
    { role: 'user', text: 'Run the tests.' },
    { role: 'user', text: guardPrompt(1) },
  ]);
  expect(addedBy(session.requests[3])).toEqual([{ role: 'user', text: guardPrompt(1, true) }]);
  expect(session.notices).toEqual([continued(1, 1), continued(2, 1), exhausted(1)]);
  const asked = (await readFile(join(session.cwd, 'asked'), 'utf8')).split('\n').filter((line) => line !== '');
  expect(asked.map((line): unknown => JSON.parse(line))).toEqual([
    { stop_hook_active: false, last_assistant_message: 'One.' },
    { stop_hook_active: true, last_assistant_message: 'Two.' },
    { stop_hook_active: false, last_assistant_message: 'Three.' },
  ]);
});

test('[B7] the tool results of a coalesced stream are the hook’s: no guard prompt and no attempt', async () => {
  const session = await agent.session(
    { responses: [OPEN, { text: 'One.' }, LIST, { text: 'Two.' }, { text: 'Three.' }] },
    { files: { 'stop-hook': BLOCK_ONCE } },
  );
  await session.prompt('Do a.');
  expect(addedBy(session.requests[3]).map(({ role }) => role)).toEqual(['tool']);
  expect(session.notices).toEqual([continued(1, 1), continued(2, 1), exhausted(1)]);
});

test('[O6] [F25] a hook’s block that a message supersedes does not count, and the hook is asked again', async () => {
  const session = await agent.session(
    { responses: [OPEN, { text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }, { text: 'Four.' }, {}] },
    { files: { 'stop-hook': `cat >> asked; echo >> asked; ${BLOCK}` } },
  );
  // After the tools, before the hooks; then the look after the hooks finds words of the user.
  session.drains.push(NOTHING, NOTHING, { messages: ['Use tabs.'] });
  const running = session.prompt('Do a.');
  await session.request(4);
  expect(addedBy(session.requests[2])).toEqual([{ role: 'user', text: 'Use tabs.' }]);
  expect(addedBy(session.requests[3])[0]?.text).toBe('Run the tests.');
  await session.cancel();
  await running;
  const asked = (await readFile(join(session.cwd, 'asked'), 'utf8')).trim().split('\n');
  expect(asked.slice(0, 2)).toEqual([
    expect.stringContaining('"stop_hook_active":false') as string,
    expect.stringContaining('"stop_hook_active":false') as string,
  ]);
});

test('[H1] [F33] a hook that blocks for ever reaches its cap, which suspends the guard too', async () => {
  const session = await agent.session(
    { responses: [OPEN, { text: 'Hm.', times: 9 }, { text: 'Hello.' }] },
    { files: { 'stop-hook': BLOCK } },
  );
  expect(await session.prompt('Do a.')).toMatchObject({ stopReason: 'end_turn', _meta: { reason: 'stop_hook_cap' } });
  // The write, its first stop, and one for each of eight blocks.
  expect(session.requests).toHaveLength(10);
  expect(session.notices).toEqual([continued(1, 1), continued(2, 1)]);
  await writeFile(join(session.cwd, 'stop-hook'), 'exit 1');
  await session.continue('Go on.');
  expect(session.requests).toHaveLength(11);
});

test('[O2] [O6] a queued prompt that comes while the hook runs goes first: the block is void', async () => {
  const session = await agent.session(
    { responses: [OPEN, { text: 'One.' }, { text: 'Hello.' }] },
    { files: { 'stop-hook': BLOCK_ONCE } },
  );
  session.drains.push(NOTHING, NOTHING, { messages: [], hasQueuedPrompt: true });
  expect(await session.prompt('Do a.')).toMatchObject({ _meta: { reason: 'queued_prompt' } });
  expect(session.requests).toHaveLength(2);
  await session.prompt('Hello.');
  expect(addedBy(session.requests[2]).map(({ text }) => text)).toEqual(['Hello.']);
});

test('[T5] [H1] a list is observed before the hook that then stops the turn: the chain is suspended', async () => {
  const session = await agent.session(
    { responses: [OPEN, { text: 'Hello.' }] },
    { files: { 'post-tool-hook': `echo '{"continue":false}'` } },
  );
  expect(await session.prompt('Do a.')).toMatchObject({ _meta: { reason: 'post_tool_use_stop' } });
  await session.continue('Go on.');
  expect(session.requests).toHaveLength(2);
  expect(addedBy(session.requests[1]).map(({ role }) => role)).toEqual(['tool', 'user']);
  expect(session.notices).toEqual([]);
});
