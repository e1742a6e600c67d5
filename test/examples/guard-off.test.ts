import { expect, test } from 'vitest';
import type { ScriptInput } from '../../examples/scripted-model/script.ts';
import { addedBy, startHarness, todoWrite } from './session-harness.ts';

const BLOCK_ONCE = `test -e blocked || { touch blocked; echo '{"decision":"block","reason":"Run the tests."}'; }`;

/** A session with everything beside the guard: hooks, a build, a wakeup, a list that is completed in time. */
const WITHOUT_OPEN_ITEMS: ScriptInput = {
  responses: [
    {
      tool_calls: [
        todoWrite({ a: 'pending' }),
        { name: 'run_shell_command', arguments: { command: 'echo built', is_background: true } },
      ],
    },
    { tool_calls: [todoWrite({ a: 'completed' })] },
    { text: 'Done.' },
    { text: 'Tested.' },
  ],
  conversations: [
    { when: { last_user: '<task-notification>' }, responses: [{ text: 'I see that it is built.' }] },
    {
      when: { last_user: 'Wake up.' },
      responses: [{ tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }] }, { text: 'Awake.' }],
    },
    {
      when: { last_user: 'Later.' },
      responses: [
        { tool_calls: [{ name: 'schedule_wakeup', arguments: { delay_seconds: 0, prompt: 'Wake up.' } }] },
        { text: 'Yes, later.' },
      ],
    },
  ],
};

/** What was sent, in order, and how the turns ended. */
async function run(todoStopGuard: boolean): Promise<{ sent: unknown; turns: unknown }> {
  const { session, surface, model } = await startHarness(WITHOUT_OPEN_ITEMS, {
    todoStopGuard,
    stopHook: [BLOCK_ONCE],
  });
  await session.prompt({ text: 'Build it.' });
  await surface.until(() => surface.results.length === 2);
  await session.prompt({ text: 'Later.' });
  await surface.until(() => surface.results.length === 4);
  return {
    sent: model.requests.map(addedBy),
    turns: surface.results.map(({ automatic, text, result }) => [automatic, text, result.kind, result.usage]),
  };
}

test('[G3] hooks, notifications, wakeups and prompts run alike with the guard on and off', async () => {
  const [on, off] = [await run(true), await run(false)];
  expect(on).toEqual(off);
  expect(on.sent).toHaveLength(9);
});

test('[G3] with the guard off a stop with open items goes to the hooks and then ends; no look is taken', async () => {
  const { session, surface, model } = await startHarness(
    { responses: [{ tool_calls: [todoWrite({ a: 'pending' })] }, { text: 'Done?' }, { text: 'Tested.' }] },
    { todoStopGuard: false, stopHook: [BLOCK_ONCE] },
  );
  const taken: string[] = [];
  surface.drains.push({ messages: [], hasQueuedPrompt: false }, () =>
    Promise.reject(new Error(`an unexpected look ${taken.push('look')}`)),
  );
  expect(await session.prompt({ text: 'Do it.' })).toMatchObject({ kind: 'ended', reason: 'off' });
  expect(addedBy(model.requests[2])).toEqual([{ role: 'user', text: 'Run the tests.' }]);
  expect(taken).toEqual([]);
  expect(surface.notices).toEqual([]);
});

test('[G3] with the guard off a turn still runs one at a time, and a cron fire waits for its end only', async () => {
  const { session, surface, model } = await startHarness(
    {
      responses: [
        { tool_calls: [todoWrite({ a: 'pending' })] },
        { text: 'Done?', pause_for: 'go' },
        { text: 'Tidied.', times: 500 },
      ],
    },
    { todoStopGuard: false },
    { cronJobs: [{ id: 'tidy', every_seconds: 0.03, prompt: 'Tidy up.' }] },
  );
  const running = session.prompt({ text: 'Do it.' });
  await model.request(2);
  const drops = (): number => surface.log.filter((entry) => entry === 'dropped: coalesced').length;
  const before = drops();
  await surface.until(() => drops() > before);
  expect(model.requests).toHaveLength(2);
  model.release('go');
  await running;
  await surface.until(() => surface.results.some(({ automatic }) => automatic));
});
