import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { textOf } from '../../examples/scripted-model/request.ts';
import type { ScriptInput } from '../../examples/scripted-model/script.ts';
import { addedBy, startHarness, todoWrite } from './session-harness.ts';

const OPEN = todoWrite({ a: 'pending' });
const DONE = { tool_calls: [todoWrite({ a: 'completed' })] };

/** A background command that runs until the test writes the file it waits for. */
function build(file: string): { name: string; arguments: Record<string, unknown> } {
  const command = `while [ ! -e ${file} ]; do sleep 0.02; done; echo built ${file}`;
  return { name: 'run_shell_command', arguments: { command, is_background: true } };
}
test('[O4] [F18] [F04] [C4] the guard waits for its own build without spending an attempt; the result goes on with the chain', async () => {
  const { session, surface, model } = await startHarness({
    responses: [
      {
        tool_calls: [
          OPEN,
          { name: 'run_shell_command', arguments: { command: 'sleep 0.2; echo built', is_background: true } },
        ],
      },
      { text: 'It builds.' },
      DONE,
      { text: 'Done.' },
    ],
  });
  expect(await session.prompt({ text: 'Build it.' })).toMatchObject({ kind: 'ended', reason: 'background' });
  expect(surface.notices).toEqual([]);
  await surface.untilLogged('turn-2 ended nothing_unfinished');
  const [notification] = addedBy(model.requests[2]);
  expect(notification?.text).toMatch(/^<task-notification>\n.*shell-1.*\n[^]*exit code 0[^]*built/);
  expect(surface.log).toContain('automatic_turn_requested: admit');
  expect(surface.notices).toEqual([]);
});

test('[B3] [C4] [F18] a build begun in a guard stream defers: its results wait, and what was spent stays spent', async () => {
  const { session, surface, model, cwd } = await startHarness({
    responses: [
      { tool_calls: [OPEN] },
      { text: 'Done?' },
      { tool_calls: [build('go')] },
      { text: 'Built, but not done.' },
      { text: 'Hm.' },
    ],
  });
  expect(await session.prompt({ text: 'Build it.' })).toMatchObject({ reason: 'background' });
  await writeFile(join(cwd, 'go'), '');
  await surface.untilLogged('turn-2 ended exhausted');
  expect(addedBy(model.requests[3])).toMatchObject([
    { role: 'tool' },
    { role: 'user', text: expect.stringMatching(/^<task-notification>/) as string },
  ]);
  expect(surface.notices.map(({ about, attempt }) => `${about} ${attempt}`)).toEqual([
    'continuation 1',
    'continuation 2',
    'exhaustion 2',
  ]);
});

test('[F16] [K2] sub-agents that are queued for a place count as much as those that run', async () => {
  const agent = (prompt: string): { name: string; arguments: Record<string, unknown> } => ({
    name: 'agent',
    arguments: { prompt, is_background: true },
  });
  const { session, surface, model } = await startHarness({
    responses: [
      { tool_calls: [OPEN, ...['1', '2', '3', '4', 'queued'].map(agent)] },
      { text: 'All delegated.' },
      { text: 'One report of five.', times: 4 },
      DONE,
      { text: 'Done.' },
    ],
    conversations: [
      { when: { first_user: 'queued' }, responses: [{ text: 'The last report.', wait_for: 'queued' }] },
      { when: { system: 'You are a sub-agent' }, responses: [{ text: 'A report.', wait_for: 'first', times: 4 }] },
    ],
  });
  expect(await session.prompt({ text: 'Delegate.' })).toMatchObject({ reason: 'background' });
  expect(model.requests.some(({ messages }) => textOf(messages.at(-1)) === 'queued')).toBe(false);
  model.release('first');
  await surface.until(() => surface.results.length === 5);
  expect(surface.results.map(({ result }) => 'reason' in result && result.reason)).toEqual(
    Array.from({ length: 5 }, () => 'background'),
  );
  model.release('queued');
  await surface.until(() => surface.results.length === 6);
  expect(surface.notices).toEqual([]);
});

test('[F17] [K2] [Q2] what a background sub-agent has begun counts with it', async () => {
  const { session, surface, model } = await startHarness({
    responses: [
      { tool_calls: [OPEN, { name: 'agent', arguments: { prompt: 'Build b.', is_background: true } }] },
      { text: 'It is delegated.' },
      { text: 'The sub-agent is done; its build is not.' },
      DONE,
      { text: 'Done.' },
    ],
    conversations: [
      {
        when: { system: 'You are a sub-agent' },
        responses: [{ tool_calls: [todoWrite({ x: 'pending' }), build('go')] }, { text: 'I began a build.' }],
      },
    ],
  });
  expect(await session.prompt({ text: 'Delegate.' })).toMatchObject({ reason: 'background' });
  // The sub-agent has ended; what it has begun has not: the chain still waits.
  await surface.untilLogged('turn-2 ended background');
  expect(
    addedBy(model.requests.find((request) => JSON.stringify(request).includes('I began a build.')))[0]?.text,
  ).toMatch(/^<task-notification>/);
  expect(surface.notices).toEqual([]);
});

test('[F20] [T1] a sub-agent that leaves its own list open is not continued, and arms nobody', async () => {
  const { session, surface, model } = await startHarness({
    responses: [
      { tool_calls: [{ name: 'agent', arguments: { prompt: 'Look around.' } }] },
      { text: 'The sub-agent has looked around.' },
    ],
    conversations: [
      {
        when: { system: 'You are a sub-agent' },
        responses: [{ tool_calls: [todoWrite({ x: 'pending' })] }, { text: 'All seen.' }],
      },
    ],
  });
  expect(await session.prompt({ text: 'Look.' })).toMatchObject({ reason: 'nothing_unfinished' });
  expect(surface.log).toContain('todo_result: ignored not_top_level');
  expect(model.requests).toHaveLength(4);
  expect(model.requests[1]?.tools?.map(({ function: { name } }) => name)).not.toContain('agent');
});

test('[F19] [K2] a monitor that has ended is not live, and each of its lines was a notification', async () => {
  const { session, surface, model } = await startHarness({
    responses: [
      { tool_calls: [OPEN, { name: 'monitor', arguments: { command: 'echo one; echo two' } }] },
      { text: 'I watch.' },
      { text: 'I see.', times: 5 },
    ],
  });
  await session.prompt({ text: 'Watch it.' });
  await surface.until(() => surface.notices.some(({ about }) => about === 'exhaustion'));
  const texts = model.requests.flatMap(({ messages }) => messages.map(textOf));
  const notified = new Set(texts.filter((text) => text.startsWith('<task-notification>')));
  expect([...notified].map((text) => /<output>\n(.*)\n/.exec(text)?.[1])).toEqual(['one', 'two', '']);
  expect(surface.notices.map(({ about, attempt }) => `${about} ${attempt}`)).toEqual([
    'continuation 1',
    'continuation 2',
    'exhaustion 2',
  ]);
});

test('[K2] a wakeup is live until it fires, and then runs its prompt as a turn of the chain', async () => {
  const { session, surface, model } = await startHarness({
    responses: [
      { tool_calls: [OPEN, { name: 'schedule_wakeup', arguments: { delay_seconds: 0.1, prompt: 'Look again.' } }] },
      { text: 'Later.' },
      DONE,
      { text: 'Done.' },
    ],
  });
  expect(await session.prompt({ text: 'Wait for it.' })).toMatchObject({ reason: 'background' });
  await surface.untilLogged('turn-2 ended nothing_unfinished');
  expect(addedBy(model.requests[2])).toEqual([{ role: 'user', text: 'Look again.' }]);
});

test('[C5] [K3] [F37] a cron fire waits for the chain, then runs as a chain of its own', async () => {
  const { session, surface, model } = await startHarness(
    {
      responses: [{ tool_calls: [OPEN, build('go')] }, { text: 'It builds.' }],
      conversations: [
        {
          when: { last_user: 'Tidy up.' },
          responses: [{ tool_calls: [todoWrite({ t: 'pending' })] }, { text: 'Tidied.', times: 50 }],
        },
        { when: { last_user: '<task-notification>' }, responses: [DONE, { text: 'Done.' }] },
      ],
    },
    {},
    { cronJobs: [{ id: 'tidy', every_seconds: 0.05, prompt: 'Tidy up.' }] },
  );
  expect(await session.prompt({ text: 'Build it.' })).toMatchObject({ reason: 'background' });
  await surface.untilLogged('held: background');
  // Recurring fires coalesce while they wait (Q1).
  await surface.untilLogged('dropped: coalesced');
  expect(model.requests).toHaveLength(2);
  session.cancel();
  await surface.until(() => surface.results.some(({ text }) => text === 'Tidy up.'));
  expect(model.requests[2]?.messages.at(-1)).toMatchObject({ role: 'user', content: 'Tidy up.' });
});

const EXITS: readonly {
  name: string;
  script: ScriptInput['responses'];
  exit?: 'cancel' | 'rewind';
}[] = [
  { name: 'completed', script: [{ tool_calls: [OPEN] }, DONE, { text: 'Done.' }] },
  { name: 'exhausted', script: [{ tool_calls: [OPEN] }, { text: 'Hm.', times: 3 }] },
  {
    name: 'suspended',
    script: [{ tool_calls: [OPEN] }, { text: 'Hm.' }, { error: { status: 400, code: 'context_length_exceeded' } }],
  },
  { name: 'given up after an error', script: [{ tool_calls: [OPEN] }, { error: { status: 503 } }], exit: 'cancel' },
  { name: 'rewound after an error', script: [{ tool_calls: [OPEN] }, { error: { status: 503 } }], exit: 'rewind' },
];

test.each(EXITS)(
  '[F26] [C6] [Q2] a cron fire that waits is released when the chain is $name',
  async ({ script, exit }) => {
    const { session, surface } = await startHarness(
      {
        responses: script ?? [],
        conversations: [{ when: { last_user: 'Tidy up.' }, responses: [{ text: 'Tidied.', times: 500 }] }],
      },
      {},
      { cronJobs: [{ id: 'tidy', every_seconds: 0.03, prompt: 'Tidy up.' }] },
    );
    await session.prompt({ text: 'Do it.' });
    if (exit !== undefined) {
      await surface.untilLogged('held: retry');
      expect(surface.results).toHaveLength(1);
      if (exit === 'cancel') session.cancel();
      else session.rewind(1);
    }
    await surface.until(() => surface.results.some(({ automatic }) => automatic));
  },
);

test('[O2] [F21] a dropped queued prompt ends the chain and releases what waits for it', async () => {
  const { session, surface } = await startHarness(
    {
      responses: [{ tool_calls: [OPEN] }, { text: 'Done?' }],
      conversations: [{ when: { last_user: 'Tidy up.' }, responses: [{ text: 'Tidied.', times: 500 }] }],
    },
    {},
    { cronJobs: [{ id: 'tidy', every_seconds: 0.03, prompt: 'Tidy up.' }] },
  );
  surface.drains.push({ messages: [], hasQueuedPrompt: false }, { messages: [], hasQueuedPrompt: true });
  expect(await session.prompt({ text: 'Do it.' })).toMatchObject({ reason: 'queued_prompt' });
  await surface.untilLogged('held: queued_prompt');
  expect(surface.results).toHaveLength(1);
  session.queuedPromptDropped();
  await surface.until(() => surface.results.some(({ automatic }) => automatic));
});

test('[F26] [O2] a prompt that is dropped while a look is under way takes no priority', async () => {
  const { session, surface } = await startHarness(
    {
      responses: [{ tool_calls: [OPEN] }, { text: 'Hm.', times: 3 }],
      conversations: [{ when: { last_user: 'Tidy up.' }, responses: [{ text: 'Tidied.', times: 500 }] }],
    },
    {},
    { cronJobs: [{ id: 'tidy', every_seconds: 0.03, prompt: 'Tidy up.' }] },
  );
  surface.drains.push({ messages: [], hasQueuedPrompt: false }, () => {
    session.queuedPromptDropped();
    return Promise.resolve({ messages: [], hasQueuedPrompt: true });
  });
  expect(await session.prompt({ text: 'Do it.' })).toMatchObject({ reason: 'exhausted' });
  await surface.until(() => surface.results.some(({ automatic }) => automatic));
});

test('[G3] with the guard off, cron, wakeups and notifications run as they come', async () => {
  const { session, surface, model } = await startHarness(
    {
      responses: [
        {
          tool_calls: [
            OPEN,
            { name: 'run_shell_command', arguments: { command: 'echo built', is_background: true } },
            { name: 'schedule_wakeup', arguments: { delay_seconds: 0, prompt: 'Look again.' } },
          ],
        },
        { text: 'Building.' },
        { text: 'Seen.', times: 2 },
      ],
    },
    { todoStopGuard: false },
  );
  expect(await session.prompt({ text: 'Build it.' })).toMatchObject({ kind: 'ended', reason: 'off' });
  await surface.until(() => surface.results.length === 3);
  expect(model.requests).toHaveLength(4);
  expect(surface.notices).toEqual([]);
  expect(surface.log.filter((entry) => entry.endsWith('starts by itself'))).toHaveLength(2);
});
