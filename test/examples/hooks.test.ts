import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { guardPrompt } from 'todo-stop-guard';
import { expect, test } from 'vitest';
import { StopHookRow } from '../../examples/host/stop-hook-row.ts';
import { addedBy, startHarness, todoWrite } from './session-harness.ts';

const OPEN = { tool_calls: [todoWrite({ a: 'pending' })] };
const BLOCK = `echo '{"decision":"block","reason":"Run the tests."}'`;

test('[O5] [F23] a hook and the guard that both block share one call: its reason, then the guard prompt', async () => {
  const { session, surface, model } = await startHarness(
    { responses: [OPEN, { text: 'Done?' }, { tool_calls: [todoWrite({ a: 'completed' })] }, { text: 'Done.' }] },
    { stopHook: [`test -e blocked || { touch blocked; ${BLOCK}; }`] },
  );
  expect(await session.prompt({ text: 'Do it.' })).toMatchObject({ reason: 'nothing_unfinished' });
  expect(addedBy(model.requests[2])).toEqual([
    { role: 'user', text: 'Run the tests.' },
    { role: 'user', text: guardPrompt(1, false) },
  ]);
  // The follow-up is the hook's: results only, and no attempt (B7).
  expect(addedBy(model.requests[3]).map(({ role }) => role)).toEqual(['tool']);
  expect(surface.notices.map(({ attempt }) => attempt)).toEqual([1]);
});

test('[O6] [F25] a block that a message supersedes does not count, and the hook runs again', async () => {
  const { session, surface, model, cwd } = await startHarness(
    { responses: [OPEN, { text: 'Done?' }, { text: 'Ok.' }, { text: 'Tested.' }, { text: 'Hm.' }, {}] },
    { stopHook: [`cat >> inputs; echo >> inputs; ${BLOCK}`] },
  );
  const nothing = { messages: [], hasQueuedPrompt: false };
  surface.drains.push(nothing, nothing, { messages: ['Wait.'], hasQueuedPrompt: false }, nothing, nothing);
  surface.drains.push(nothing, { messages: [], hasQueuedPrompt: true });
  expect(await session.prompt({ text: 'Do it.' })).toMatchObject({ reason: 'queued_prompt' });
  expect(addedBy(model.requests[2])).toEqual([{ role: 'user', text: 'Wait.' }]);
  expect(addedBy(model.requests[3])[0]).toEqual({ role: 'user', text: 'Run the tests.' });
  const inputs = (await readFile(join(cwd, 'inputs'), 'utf8')).trim().split('\n');
  expect(inputs.map((line) => JSON.parse(line) as unknown)).toEqual([
    { stop_hook_active: false, last_assistant_message: 'Done?' },
    { stop_hook_active: false, last_assistant_message: 'Ok.' },
  ]);
});

test('[F33] [H1] [O3] a hook that always blocks is cut off after eight blocks, and the chain is suspended', async () => {
  const { session, surface, model } = await startHarness(
    { responses: [{ text: 'Done.', times: 20 }] },
    { stopHook: [BLOCK] },
  );
  expect(await session.prompt({ text: 'Do it.' })).toMatchObject({ kind: 'stopped', reason: 'stop_hook_cap' });
  expect(model.requests).toHaveLength(1 + 8);
  expect(surface.log).toContain('hard_stopped: stop stop_hook_cap');
});

test('[O3] the row ends when no hook blocks', () => {
  const row = new StopHookRow();
  for (let block = 0; block < 8; block += 1) {
    expect(row.answered(['again'])).toBe('blocked');
    row.opened();
  }
  expect(row.answered(['again'])).toBe('capped');
  expect(row.answered([])).toBe('passed');
  expect(row.active).toBe(false);
  expect(row.answered(['again'])).toBe('blocked');
});

test.each([
  ['fails', `${BLOCK}; exit 1`],
  ['prints no JSON', 'echo block'],
  ['prints something else', `echo '{"decision":"approve","reason":"x"}'`],
  ['gives no reason', `echo '{"decision":"block"}'`],
  ['does not exist', '/no/such/command'],
  ['blocks, and then takes longer than ten seconds', `${BLOCK}; sleep 60`],
])('a stop hook that %s does not block', async (_, hook) => {
  const { session, model } = await startHarness({ responses: [{ text: 'Done.' }] }, { stopHook: [hook] });
  expect(await session.prompt({ text: 'Do it.' })).toMatchObject({ kind: 'ended' });
  expect(model.responsesLeft).toBe(0);
});

test('the reasons of several hooks go out together, in their order', async () => {
  const block = (reason: string): string =>
    `test -e ${reason} || { touch ${reason}; echo '{"decision":"block","reason":"${reason}"}'; }`;
  const { session, model } = await startHarness(
    { responses: [{ text: 'Done.', times: 2 }] },
    { stopHook: [block('first'), 'true', block('second')] },
  );
  await session.prompt({ text: 'Do it.' });
  expect(addedBy(model.requests[1])).toEqual([{ role: 'user', text: 'first\nsecond' }]);
});

test('[O3] an automatic turn asks no stop hook, with the guard on and off', async () => {
  for (const todoStopGuard of [true, false]) {
    const { session, surface, cwd } = await startHarness(
      {
        responses: [
          { tool_calls: [{ name: 'schedule_wakeup', arguments: { delay_seconds: 0, prompt: 'Look.' } }] },
          { text: 'Later.' },
          { text: 'Seen.' },
        ],
      },
      { todoStopGuard, stopHook: ['echo x >> asked'] },
    );
    await session.prompt({ text: 'Wait.' });
    await surface.until(() => surface.results.length === 2);
    expect(await readFile(join(cwd, 'asked'), 'utf8')).toBe('x\n');
  }
});

test('[T5] [H1] a post-tool hook gets tool, arguments and result, and can stop the turn: the guard has seen the list', async () => {
  const { session, surface, model, cwd } = await startHarness(
    { responses: [OPEN, { text: 'never' }] },
    { postToolHook: [`cat > input; echo '{"continue":false}'`] },
  );
  expect(await session.prompt({ text: 'Do it.' })).toMatchObject({ kind: 'stopped', reason: 'post_tool_use_stop' });
  expect(model.requests).toHaveLength(1);
  expect(JSON.parse(await readFile(join(cwd, 'input'), 'utf8'))).toMatchObject({
    tool: 'todo_write',
    args: { todos: [{ id: 'a' }] },
    result: expect.stringContaining('todo_list') as string,
  });
  const observed = surface.log.indexOf('todo_result: noted');
  expect(observed).toBeGreaterThan(0);
  expect(surface.log.indexOf('hard_stopped: noted')).toBeGreaterThan(observed);
});

test('a cancel kills a hook that runs', async () => {
  const { session, surface, cwd } = await startHarness(
    { responses: [{ text: 'Done.' }] },
    { stopHook: ['while [ ! -e go ]; do sleep 0.02; done'] },
  );
  const running = session.prompt({ text: 'Do it.' });
  await surface.untilLogged('model_stopped: run_stop_hooks');
  session.cancel();
  expect(await running).toMatchObject({ kind: 'stopped', reason: 'cancelled' });
  await writeFile(join(cwd, 'go'), '');
});
