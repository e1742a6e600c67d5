import { isReminder } from 'todo-stop-guard';
import { expect, test } from 'vitest';
import type { ChatRequest } from '../../examples/scripted-model/request.ts';
import { textOf } from '../../examples/scripted-model/request.ts';
import type { Harness } from './session-harness.ts';
import { addedBy, startHarness, todoWrite } from './session-harness.ts';

const LIST = { name: 'list_directory', arguments: { path: '.' } };
const OPEN = { tool_calls: [todoWrite({ a: 'pending', b: 'completed' })] };
const REMINDER = /<system-reminder>[^]*<\/system-reminder>/g;

/** The reminders that a request added; what earlier requests carried stays in the history. */
function reminders(request: ChatRequest | undefined): readonly string[] {
  return addedBy(request).flatMap(({ text }) => text.match(REMINDER) ?? []);
}

/** Without the guard: the reminder works alone (R12). */
function start(
  responses: object[],
  conversations: NonNullable<Parameters<typeof startHarness>[0]['conversations']> = [],
): Promise<Harness> {
  return startHarness({ responses, conversations }, { todoStopGuard: false });
}

test('[R1] [R12] step 1: a request after another tool call carries the unfinished items after its results', async () => {
  const { session, model } = await start([OPEN, { tool_calls: [LIST] }, { text: 'Hm.' }]);
  await session.prompt({ text: 'Do it.' });
  const added = addedBy(model.requests[2]);
  expect(added.map(({ role }) => role)).toEqual(['tool']);
  expect(added[0]?.text).toMatch(/^\(empty\)\n\n<system-reminder>/);
  const [reminder] = reminders(model.requests[2]);
  expect(reminder).toContain('- [pending] do a');
  expect(reminder).not.toContain('do b');
  expect(isReminder(reminder ?? '')).toBe(true);
});

test('[R5] [F44] step 2: once every item is completed, another tool call carries none', async () => {
  const { session, model } = await start([
    OPEN,
    { tool_calls: [todoWrite({ a: 'completed', b: 'completed' })] },
    { tool_calls: [LIST] },
    { text: 'Done.' },
  ]);
  await session.prompt({ text: 'Do it.' });
  expect(model.requests.map((request) => reminders(request).length)).toEqual([0, 1, 0, 0]);
});

test('[R4] [F10] [F34] step 3: an unrelated prompt clears it', async () => {
  const { session, model } = await start([OPEN, { text: 'Hm.' }, { tool_calls: [LIST] }, { text: 'Hello.' }]);
  await session.prompt({ text: 'Do it.' });
  await session.prompt({ text: 'Something else.' });
  expect(model.requests.map((request) => reminders(request).length)).toEqual([0, 1, 0, 0]);
});

test.each(['retry', 'continue'] as const)('[R4] step 4: a %s takes it over', async (origin) => {
  const { session, model } = await start([OPEN, { error: { status: 503 } }, { tool_calls: [LIST] }, { text: 'Hm.' }]);
  expect(await session.prompt({ text: 'Do it.' })).toMatchObject({ kind: 'failed' });
  await session.prompt({ text: 'Go on.', origin });
  // The result that was never sent opens the next request, and the reminder follows it.
  expect(addedBy(model.requests[2]).map(({ role }) => role)).toEqual(['tool', 'user']);
  expect(model.requests.slice(1).map((request) => reminders(request).length)).toEqual([1, 1, 1]);
});

test('[R3] [F37] step 5: a cron turn and a notification turn read and write only their own', async () => {
  const { session, surface, model } = await startHarness(
    {
      responses: [OPEN, { text: 'Hm.' }, { tool_calls: [LIST] }, { text: 'Hm!' }],
      conversations: [
        {
          when: { last_user: 'Tidy up.' },
          responses: [
            { tool_calls: [LIST] },
            { tool_calls: [todoWrite({ tidy: 'pending' })] },
            { tool_calls: [todoWrite({ tidy: 'completed' })] },
            { text: 'Tidied.' },
            { text: 'Nothing to tidy.', times: 500 },
          ],
        },
      ],
    },
    { todoStopGuard: false },
    { cronJobs: [{ id: 'tidy', every_seconds: 0.05, prompt: 'Tidy up.' }] },
  );
  await session.prompt({ text: 'Do it.' });
  await surface.until(() => surface.results.some(({ automatic }) => automatic));
  await session.prompt({ text: 'Go on.', origin: 'continue' });

  const cron = model.requests.filter(
    ({ messages }) => textOf(messages.findLast(({ role }) => role === 'user')) === 'Tidy up.',
  );
  expect(cron.slice(0, 4).map((request) => reminders(request).join())).toEqual([
    '',
    '',
    expect.stringContaining('do tidy') as string,
    '',
  ]);
  const last = model.requests.findLast(
    ({ messages }) => textOf(messages.findLast(({ role }) => role === 'user')) === 'Go on.',
  );
  expect(reminders(last).join()).toContain('do a');
  expect(reminders(last).join()).not.toContain('tidy');
});

test('[R4] step 5, its other half: the notification of its own build takes the list over, and gives it back', async () => {
  const build = { name: 'run_shell_command', arguments: { command: 'echo built', is_background: true } };
  const { session, surface, model } = await start([
    { tool_calls: [todoWrite({ a: 'pending' }), build] },
    { text: 'Building.' },
    { tool_calls: [LIST] },
    { text: 'Built.' },
    { tool_calls: [LIST] },
    { text: 'Hm.' },
  ]);
  await session.prompt({ text: 'Build it.' });
  await surface.until(() => surface.results.length === 2);
  await session.prompt({ text: 'Go on.', origin: 'continue' });
  expect(reminders(model.requests[3]).join()).toContain('do a');
  expect(reminders(model.requests[5]).join()).toContain('do a');
});

test('[R2] [F40] [F41] step 6: results, reminder, then what the user typed; nothing old is touched', async () => {
  const { session, surface, model } = await start([OPEN, { tool_calls: [LIST] }, { text: 'Hm.' }]);
  surface.drains.push({ messages: [], hasQueuedPrompt: false }, { messages: ['Use tabs.'], hasQueuedPrompt: false });
  await session.prompt({ text: 'Do it.' });
  const added = addedBy(model.requests[2]);
  expect(added.map(({ role }) => role)).toEqual(['tool', 'user']);
  expect(added[0]?.text).toMatch(/<\/system-reminder>$/);
  expect(added[1]?.text).toBe('Use tabs.');
  expect(model.requests[2]?.messages.slice(0, model.requests[1]?.messages.length)).toEqual(model.requests[1]?.messages);
});

test('[R8] [F39] five tool results carry one reminder', async () => {
  const { session, model } = await start([OPEN, { tool_calls: [LIST, LIST, LIST, LIST, LIST] }, { text: 'Hm.' }]);
  await session.prompt({ text: 'Do it.' });
  expect(addedBy(model.requests[2])).toHaveLength(5);
  expect(reminders(model.requests[2])).toHaveLength(1);
});

test('[R10] [F35] a sub-agent has a list of its own: nothing leaks up or down', async () => {
  const { session, model } = await start(
    [
      { tool_calls: [todoWrite({ parent: 'pending' })] },
      { tool_calls: [{ name: 'agent', arguments: { prompt: 'Look.' } }] },
      { text: 'Hm.' },
    ],
    [
      {
        when: { system: 'You are a sub-agent' },
        responses: [{ tool_calls: [LIST] }, { tool_calls: [todoWrite({ child: 'pending' })] }, { text: 'Seen.' }],
      },
    ],
  );
  await session.prompt({ text: 'Do it.' });
  const [, , first, second, third, last] = model.requests;
  expect(reminders(first)).toEqual([]);
  expect(reminders(second)).toEqual([]);
  expect(reminders(third).join()).toContain('do child');
  expect(reminders(third).join()).not.toContain('do parent');
  expect(reminders(last).join()).toContain('do parent');
  expect(reminders(last).join()).not.toContain('do child');
});

test('[R12] the reminder changes no decision: the same run, with it and without', async () => {
  const run = async (every: number): Promise<{ decisions: readonly string[]; reminders: number }> => {
    const { session, surface, model } = await startHarness(
      { responses: [OPEN, { text: 'Hm.' }, { tool_calls: [LIST] }, { text: 'Hm.' }] },
      {},
      { reminder: { every } },
    );
    await session.prompt({ text: 'Do it.' });
    const count = model.requests.flatMap((request) => reminders(request)).length;
    return { decisions: surface.log, reminders: count };
  };
  const [often, never] = [await run(1), await run(1_000)];
  expect([often.reminders, never.reminders]).toEqual([2, 0]);
  expect(often.decisions).toEqual(never.decisions);
  expect(often.decisions).toContain('model_stopped: look');
});
