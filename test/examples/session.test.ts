import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { guardPrompt } from 'todo-stop-guard';
import { expect, test } from 'vitest';
import { addedBy, startHarness, todoWrite } from './session-harness.ts';

const OPEN = { tool_calls: [todoWrite({ a: 'pending', b: 'pending' })] };
const DONE = { tool_calls: [todoWrite({ a: 'completed', b: 'completed' })] };

test('[B1] [B8] [F32] [N4] [N8] a model that stops twice more is continued twice, and exhaustion is said once', async () => {
  const { session, surface, model } = await startHarness({
    responses: [OPEN, { text: 'Done?' }, { text: 'Done!' }, { text: 'Really.' }],
  });
  const result = await session.prompt({ text: 'Do it.' });
  expect(result).toMatchObject({ kind: 'ended', reason: 'exhausted' });
  expect(result.usage).toEqual({ promptTokens: 4 * 20, completionTokens: 4 * 5 });
  expect(surface.notices.map(({ about, attempt }) => `${about} ${attempt}`)).toEqual([
    'continuation 1',
    'continuation 2',
    'exhaustion 2',
  ]);
  expect(addedBy(model.requests[2])).toEqual([{ role: 'user', text: guardPrompt(2, false) }]);
  expect(addedBy(model.requests[3])).toEqual([{ role: 'user', text: guardPrompt(2, true) }]);
});

test('[B5] tools that complete the list in the first guard stream get a closing send without a guard prompt', async () => {
  const { session, surface, model } = await startHarness({
    responses: [OPEN, { text: 'Done?' }, DONE, { text: 'All done.' }],
  });
  expect(await session.prompt({ text: 'Do it.' })).toMatchObject({ reason: 'nothing_unfinished' });
  expect(addedBy(model.requests[3]).map(({ role }) => role)).toEqual(['tool']);
  expect(surface.notices.map(({ attempt, unfinishedCount }) => [attempt, unfinishedCount])).toEqual([
    [1, 2],
    [2, 0],
  ]);
});

test('[B4] tool results of the last guard stream are kept and open the next request', async () => {
  const list = { tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }] };
  const { session, model } = await startHarness({
    responses: [OPEN, { text: 'Done?' }, { text: 'Done!' }, list, { text: 'Hello.' }],
  });
  expect(await session.prompt({ text: 'Do it.' })).toMatchObject({ reason: 'exhausted' });
  expect(model.requests).toHaveLength(4);
  await session.prompt({ text: 'Now something else.' });
  expect(addedBy(model.requests[4])).toEqual([
    { role: 'tool', text: '(empty)' },
    { role: 'user', text: 'Now something else.' },
  ]);
});

test('[B3] the results of a guard stream go out with a guard prompt after them', async () => {
  const list = { tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }] };
  const { session, model } = await startHarness({
    responses: [OPEN, { text: 'Done?' }, list, { text: 'Done!' }],
  });
  expect(await session.prompt({ text: 'Do it.' })).toMatchObject({ reason: 'exhausted' });
  expect(addedBy(model.requests[3])).toMatchObject([{ role: 'tool' }, { role: 'user', text: guardPrompt(2, true) }]);
});

test('[O1] [C3] [F28] a message at the stop goes first, and the stage begins anew', async () => {
  const { session, surface, model } = await startHarness({
    responses: [OPEN, { text: 'Done?' }, { text: 'Ok.' }, { text: 'Done!' }, { text: 'Done!!' }],
  });
  const nothing = { messages: [], hasQueuedPrompt: false };
  surface.drains.push(nothing, { messages: ['Use tabs.'], hasQueuedPrompt: false });
  expect(await session.prompt({ text: 'Do it.' })).toMatchObject({ reason: 'exhausted' });
  expect(addedBy(model.requests[2])).toEqual([{ role: 'user', text: 'Use tabs.' }]);
  expect(model.requests).toHaveLength(5);
  expect(surface.notices.map(({ attempt }) => attempt)).toEqual([1, 2, 2]);
});

test('[R2] [O1] a message at a tool boundary comes after the results, and refreshes the stage', async () => {
  const { session, surface, model } = await startHarness({ responses: [OPEN, DONE, { text: 'Done.' }] });
  surface.drains.push({ messages: ['Use tabs.', 'And UTF-8.'], hasQueuedPrompt: false });
  await session.prompt({ text: 'Do it.' });
  const added = addedBy(model.requests[1]);
  expect(added.map(({ role }) => role)).toEqual(['tool', 'user', 'user']);
  expect(added[0]?.text).toContain('<system-reminder>');
  expect(added.slice(1).map(({ text }) => text)).toEqual(['Use tabs.', 'And UTF-8.']);
  expect(surface.log.filter((entry) => entry.startsWith('user_message_sent'))).toHaveLength(1);
});

test('[O2] a queued prompt ends the request, a message seen with it goes first', async () => {
  const { session, surface, model } = await startHarness({
    responses: [OPEN, { text: 'Done?' }, { text: 'Tabs then.' }],
  });
  surface.drains.push({ messages: [], hasQueuedPrompt: false }, { messages: ['Tabs.'], hasQueuedPrompt: true });
  expect(await session.prompt({ text: 'Do it.' })).toMatchObject({ kind: 'ended', reason: 'queued_prompt' });
  expect(addedBy(model.requests[2])).toEqual([{ role: 'user', text: 'Tabs.' }]);
  expect(surface.notices).toEqual([]);
});

test('[O8] [F29] a drain that fails lets the turn end and spends nothing', async () => {
  const { session, surface, model } = await startHarness({ responses: [OPEN, { text: 'Done?' }] });
  surface.drains.push({ messages: [], hasQueuedPrompt: false }, () => Promise.reject(new Error('timeout')));
  expect(await session.prompt({ text: 'Do it.' })).toMatchObject({ kind: 'ended', reason: 'look_failed' });
  expect(model.responsesLeft).toBe(0);
  expect(surface.notices).toEqual([]);
});

test('[O6] [F06] [F08] a message that comes while the history is summarised supersedes the guard send', async () => {
  const { session, surface, model } = await startHarness(
    {
      responses: [OPEN, { text: 'Done?', usage: { prompt_tokens: 900, completion_tokens: 1 } }, { text: 'Ok.' }],
      conversations: [
        { when: { system: 'You write a summary' }, responses: [{ text: 'They want a and b.', wait_for: 'sum' }] },
      ],
    },
    { compactAt: 500 },
  );
  const nothing = { messages: [], hasQueuedPrompt: false };
  surface.drains.push(nothing, nothing, nothing, { messages: ['Stop at a.'], hasQueuedPrompt: true });
  const running = session.prompt({ text: 'Do it.' });
  await model.request(3);
  model.release('sum');
  expect(await running).toMatchObject({ reason: 'queued_prompt' });
  expect(surface.log).toContain('compacted');
  expect(addedBy(model.requests[3])).toEqual([
    { role: 'user', text: 'Summary of the conversation so far:\nThey want a and b.' },
    { role: 'user', text: 'Stop at a.' },
  ]);
  expect(surface.notices).toEqual([]);
});

test('[O9] [H1] a summary that fails before a guard send suspends the chain', async () => {
  const { session, surface, model } = await startHarness(
    {
      responses: [OPEN, { text: 'Done?', usage: { prompt_tokens: 900, completion_tokens: 1 } }],
      conversations: [{ when: { system: 'You write a summary' }, responses: [{ error: { status: 500 } }] }],
    },
    { compactAt: 500 },
  );
  expect(await session.prompt({ text: 'Do it.' })).toMatchObject({ kind: 'ended', reason: 'prepare_failed' });
  expect(surface.log).toContain('compaction fails');
  expect(model.requests).toHaveLength(3);
});

test('[N6] [F45] a summary gets no guard prompt to sum up', async () => {
  const { session, model } = await startHarness(
    {
      responses: [OPEN, { text: 'Done?' }, { text: 'Hm.', usage: { prompt_tokens: 900, completion_tokens: 1 } }],
      conversations: [{ when: { system: 'You write a summary' }, responses: [{ text: 'a and b.' }] }],
    },
    { compactAt: 500 },
  );
  await session.prompt({ text: 'Do it.' });
  const summary = model.requests[3];
  expect(summary?.tools).toBeUndefined();
  expect(JSON.stringify(summary)).not.toContain('[Todo Stop Guard]');
  expect(JSON.stringify(summary)).toContain('Done?');
});

test('[H2] [B2] an error before a guard stream spends nothing; a trusted continue goes on', async () => {
  const { session, surface } = await startHarness({
    responses: [OPEN, { text: 'Done?' }, { error: { status: 503 } }, { text: 'Again.' }, { text: 'And again.' }, {}],
  });
  expect(await session.prompt({ text: 'Do it.' })).toMatchObject({ kind: 'failed' });
  expect(surface.notices).toEqual([]);
  expect(await session.prompt({ text: 'Go on.', origin: 'continue' })).toMatchObject({ reason: 'exhausted' });
  expect(surface.notices.map(({ about, attempt }) => `${about} ${attempt}`)).toEqual([
    'continuation 1',
    'continuation 2',
    'exhaustion 2',
  ]);
});

test('[B2] [F03] an error inside a guard stream has spent the attempt, and nothing is sent until a retry', async () => {
  const { session, surface, model } = await startHarness({
    responses: [OPEN, { text: 'Done?' }, { text: 'I am', breaks: true }, { text: 'Hm.' }, { text: 'Hm!' }],
  });
  expect(await session.prompt({ text: 'Do it.' })).toMatchObject({ kind: 'failed' });
  expect(model.requests).toHaveLength(3);
  expect(await session.prompt({ text: 'Again.', origin: 'retry' })).toMatchObject({ reason: 'exhausted' });
  expect(surface.notices.map(({ about, attempt }) => `${about} ${attempt}`)).toEqual([
    'continuation 1',
    'continuation 2',
    'exhaustion 2',
  ]);
  expect(model.requests[3]?.messages.at(-2)).toMatchObject({ role: 'assistant', content: 'I am' });
});

test('[F30] [H1] a context overflow is a token limit: it suspends', async () => {
  const overflow = { error: { status: 400, code: 'context_length_exceeded', message: 'too long' } };
  const { session, surface, model } = await startHarness({
    responses: [OPEN, { text: 'Done?' }, overflow, { text: 'Hm.' }],
  });
  expect(await session.prompt({ text: 'Do it.' })).toMatchObject({ kind: 'stopped', reason: 'token_limit' });
  expect(surface.notices).toEqual([]);
  expect(await session.prompt({ text: 'On.', origin: 'continue' })).toMatchObject({ kind: 'ended' });
  expect(model.responsesLeft).toBe(0);
});

test('[H1] [B2] --token-limit refuses a guard send before anything is spent', async () => {
  const { session, surface, model } = await startHarness(
    { responses: [OPEN, { text: 'Done?', usage: { prompt_tokens: 900, completion_tokens: 1 } }] },
    { tokenLimit: 500 },
  );
  expect(await session.prompt({ text: 'Do it.' })).toMatchObject({ kind: 'stopped', reason: 'token_limit' });
  expect(model.requests).toHaveLength(2);
  expect(surface.notices).toEqual([]);
});

test('[O0] [F12] a cut-off answer and an unknown end reason are no natural stops', async () => {
  const { session, model } = await startHarness({
    responses: [OPEN, { text: 'Don', finish_reason: 'length' }, OPEN, { text: 'Hm', finish_reason: 'strange' }],
  });
  expect(await session.prompt({ text: 'Do it.' })).toMatchObject({ kind: 'ended', reason: 'cut_off' });
  expect(await session.prompt({ text: 'Do it.' })).toMatchObject({ kind: 'ended', reason: 'cut_off' });
  expect(model.requests).toHaveLength(4);
});

test('[H1] [F02] [F07] [F31] a cancel during a tool suspends; the next prompt starts clean', async () => {
  const sleep = { name: 'run_shell_command', arguments: { command: 'sleep 60' } };
  const { session, surface, model } = await startHarness({
    responses: [
      { tool_calls: [todoWrite({ a: 'pending' }), sleep, { name: 'list_directory', arguments: { path: '.' } }] },
      OPEN,
      { text: 'Done?' },
      { text: 'Hm.' },
      { text: 'Hm!' },
    ],
  });
  const running = session.prompt({ text: 'Do it.' });
  await surface.untilLogged('run_shell_command starts');
  session.cancel();
  expect(await running).toMatchObject({ kind: 'stopped', reason: 'cancelled' });
  expect(surface.log).not.toContain('list_directory starts');
  expect(await session.prompt({ text: 'Now this.' })).toMatchObject({ reason: 'exhausted' });
  // The results of the calls that never ran are there: the provider would refuse the history otherwise.
  expect(addedBy(model.requests[1]).map(({ role }) => role)).toEqual(['tool', 'tool', 'tool', 'user']);
});

test('[H1] [B2] a cancel while a guard stream opens spends nothing', async () => {
  const { session, surface, model } = await startHarness({
    responses: [OPEN, { text: 'Done?' }, { text: 'Never.', wait_for: 'never' }],
  });
  const running = session.prompt({ text: 'Do it.' });
  await model.request(3);
  session.cancel();
  expect(await running).toMatchObject({ kind: 'stopped', reason: 'cancelled' });
  expect(surface.notices).toEqual([]);
});

test('[H1] a cancel inside a guard stream suspends, and what was said stays said', async () => {
  const { session, surface, model } = await startHarness({
    responses: [OPEN, { text: 'Done?' }, { text: 'Never.', pause_for: 'never' }, { text: 'Hello.' }],
  });
  const running = session.prompt({ text: 'Do it.' });
  await surface.untilLogged('notice: continuation 1');
  session.cancel();
  expect(await running).toMatchObject({ kind: 'stopped', reason: 'cancelled' });
  expect(await session.prompt({ text: 'Go on.', origin: 'continue' })).toMatchObject({
    reason: 'nothing_unfinished',
  });
  expect(model.requests).toHaveLength(4);
});

test('[H1] [H4] [F09] a permission that is cancelled suspends; one that is rejected is a result', async () => {
  const write = { name: 'write_file', arguments: { file_path: 'a.txt', content: 'a' } };
  const { session, surface } = await startHarness(
    { responses: [OPEN, { tool_calls: [write] }, { text: 'I may not.' }, { tool_calls: [write] }] },
    { approvalMode: 'default', todoStopGuard: false },
  );
  surface.permissionAnswer = () => Promise.resolve('rejected');
  expect(await session.prompt({ text: 'Do it.' })).toMatchObject({ kind: 'ended' });
  surface.permissionAnswer = () => Promise.resolve('cancelled');
  expect(await session.prompt({ text: 'Do it!' })).toMatchObject({ reason: 'permission_cancelled' });
});

test('[C8] [F15] entering plan mode mid-turn ends what the guard would do, and refuses changes', async () => {
  const write = { name: 'write_file', arguments: { file_path: 'a.txt', content: 'a' } };
  const { session, surface, model } = await startHarness({
    responses: [{ ...OPEN, pause_for: 'plan' }, { tool_calls: [write] }, { text: 'Here is the plan.' }],
  });
  const running = session.prompt({ text: 'Do it.' });
  await model.request(1);
  session.setMode('plan');
  model.release('plan');
  expect(await running).toMatchObject({ reason: 'nothing_unfinished' });
  expect(surface.log).toContain('write_file fails');
  expect(surface.log).toContain('todo_result: ignored plan');
});

test('[H1] loop protection stops at the n-th identical call in a row', async () => {
  const list = { tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }] };
  const { session, surface, model } = await startHarness(
    { responses: [OPEN, { ...list, times: 5 }] },
    { maxSameCalls: 3 },
  );
  expect(await session.prompt({ text: 'Do it.' })).toMatchObject({ kind: 'stopped', reason: 'loop_detected' });
  expect(model.requests).toHaveLength(4);
  expect(surface.log.filter((entry) => entry === 'list_directory starts')).toHaveLength(2);
});

test('[C6] [T6] a rewind during the turn: its late list arms nothing, and its words are gone', async () => {
  const { session, surface, model } = await startHarness({
    responses: [{ text: 'First.' }, { ...OPEN, pause_for: 'rewound' }, { text: 'Done?' }, { text: 'Third.' }],
  });
  await session.prompt({ text: 'One.' });
  const running = session.prompt({ text: 'Two.' });
  await model.request(2);
  session.rewind(1);
  model.release('rewound');
  expect(await running).toMatchObject({ kind: 'ended' });
  expect(surface.log).toContain('todo_result: ignored suspended');
  expect(surface.notices).toEqual([]);
  await session.prompt({ text: 'Three.' });
  expect(model.requests[3]?.messages.slice(1).map(({ content }) => content)).toEqual(['One.', 'First.', 'Three.']);
  expect(() => {
    session.rewind(3);
  }).toThrow('turns must be a whole number from 1 to 2');
});

test('[C6] a changed directory clears trust, and is where the tools work from then on', async () => {
  const { session, surface, model, cwd } = await startHarness({
    responses: [
      { tool_calls: [{ name: 'write_file', arguments: { file_path: 'sub/a.txt', content: 'a' } }] },
      { ...OPEN, pause_for: 'changed' },
      { tool_calls: [{ name: 'write_file', arguments: { file_path: 'b.txt', content: 'b' } }] },
      { text: 'Done?' },
    ],
  });
  const running = session.prompt({ text: 'Do it.' });
  await model.request(2);
  await expect(session.changeDirectory(join(cwd, 'nowhere'))).rejects.toThrow('cwd must be');
  await session.changeDirectory(join(cwd, 'sub'));
  model.release('changed');
  await running;
  expect(await readFile(join(cwd, 'sub', 'b.txt'), 'utf8')).toBe('b');
  expect(surface.notices).toEqual([]);
});

test('[C6] [C9] a branch has the history and neither the trust nor the turn', async () => {
  const { session, surface, model } = await startHarness({
    responses: [{ text: 'First.' }, OPEN, { text: 'Done?', wait_for: 'branched' }, { text: 'Hello.' }],
  });
  await session.prompt({ text: 'Hello.' });
  const running = session.prompt({ text: 'Do it.' });
  await model.request(3);
  const branch = session.branch({ surface });
  model.release('branched');
  expect(await running).toMatchObject({ reason: 'suspended' });
  expect(await branch.prompt({ text: 'Hi.' })).toMatchObject({ reason: 'nothing_unfinished' });
  // Without the call whose result had not been sent yet.
  expect(model.requests[3]?.messages.slice(1).map(({ content }) => content)).toEqual([
    'Hello.',
    'First.',
    'Do it.',
    'Hi.',
  ]);
  await branch.close();
});

test('[C1] a prompt supersedes a turn that is still live, and waits until that has settled', async () => {
  const { session, surface, model } = await startHarness({
    responses: [OPEN, { text: 'Never.', pause_for: 'never' }, { text: 'Hello.' }],
  });
  const first = session.prompt({ text: 'Do it.' });
  await model.request(2);
  const second = session.prompt({ text: 'Never mind.' });
  expect(await first).toMatchObject({ kind: 'stopped', reason: 'cancelled' });
  expect(await second).toMatchObject({ kind: 'ended', reason: 'nothing_unfinished' });
  expect(surface.log.indexOf('turn-1 stopped cancelled')).toBeLessThan(surface.log.indexOf('turn-2 starts'));
});

test('[C1] what a superseded turn did not send opens the next request', async () => {
  const sleep = { name: 'run_shell_command', arguments: { command: 'sleep 60' } };
  const list = { name: 'list_directory', arguments: { path: '.' } };
  const { session, surface, model } = await startHarness({
    responses: [{ tool_calls: [list, sleep] }, { text: 'Hello.' }],
  });
  const first = session.prompt({ text: 'Do it.' });
  await surface.untilLogged('run_shell_command starts');
  await Promise.all([first, session.prompt({ text: 'Never mind.' })]);
  expect(addedBy(model.requests[1])).toEqual([
    { role: 'tool', text: '(empty)' },
    { role: 'tool', text: 'Not run: the turn was stopped.' },
    { role: 'user', text: 'Never mind.' },
  ]);
});

test('[Q3] a suggestion is made after a turn that ends, and not while the chain can still resume', async () => {
  const build = { name: 'run_shell_command', arguments: { command: 'sleep 60', is_background: true } };
  const { session, surface, model } = await startHarness(
    {
      responses: [{ text: 'Hello.' }, { tool_calls: [todoWrite({ a: 'pending' }), build] }, { text: 'Building.' }],
      conversations: [{ when: { system: 'You write a suggestion' }, responses: [{ text: 'Run the tests.' }] }],
    },
    { followUps: true },
  );
  await session.prompt({ text: 'Hi.' });
  await surface.untilLogged('suggests: Run the tests.');
  expect(await session.prompt({ text: 'Build.' })).toMatchObject({ reason: 'background' });
  await new Promise(setImmediate);
  expect(model.requests).toHaveLength(4);
});
