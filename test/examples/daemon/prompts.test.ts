import { afterAll, beforeAll, expect, test } from 'vitest';
import { textOf } from '../../../examples/scripted-model/request.ts';
import type { ReadEvent } from './read-events.ts';
import { DaemonClient, isNotice, requestsSent, saidBy, scriptFor, startWorld, writesTodos } from './daemon-client.ts';
import { textIn } from './read-events.ts';

let world: Awaited<ReturnType<typeof startWorld>>;
let client: DaemonClient;

beforeAll(async () => {
  world = await startWorld(['--todo-stop-guard', '--approval-mode', 'yolo']);
  client = new DaemonClient(world.daemon.url);
}, 60_000);
afterAll(() => world.stop());

/** The last message of each request of a session, told by the words of its first prompt. */
function lastWords(first: string): readonly string[] {
  return world.model.requests
    .filter(({ messages }) => textOf(messages.find(({ role }) => role === 'user')).includes(first))
    .map(({ messages }) => textOf(messages.at(-1)));
}

const isGuardPrompt = (text: string): boolean => text.startsWith('[Todo Stop Guard]');
const says =
  (text: string) =>
  (event: ReadEvent): boolean =>
    saidBy(event).includes(text);

test('[N7] a prompt runs with nobody listening, and a later subscriber reads each guard notice on its own', async () => {
  world.model.add(
    scriptFor('Alone', [
      writesTodos('pending', 'pending'),
      { text: 'I did some of it.' },
      { text: 'I did more of it.' },
      { text: 'I leave the rest.' },
    ]),
  );
  const session = await client.open();
  const promptId = await session.prompt('Alone: do both steps.');
  await (await session.subscribe()).ended(promptId);

  const later = await session.subscribe();
  expect(await later.ended(promptId)).toMatchObject({ stopReason: 'end_turn' });
  const meta = { source: 'todo_stop_guard', qwenDiscreteMessage: true, maxAttempts: 2, unfinishedCount: 2 };
  expect(later.notices.map(({ update }) => update?._meta)).toEqual([
    { ...meta, attempt: 1 },
    { ...meta, attempt: 2 },
    { ...meta, attempt: 2 },
  ]);
  const words = later.events.map((event) => (isNotice(event) ? '-' : saidBy(event))).filter((text) => text !== '');
  expect(words).toEqual(['I did some of it.', '-', 'I did more of it.', '-', 'I leave the rest.', '-']);
});

test('[N7] two subscribers read the same events, one of them in two visits', async () => {
  world.model.add(
    scriptFor('Twice', [
      { text: 'One two three.', pause_for: 'twice-1', ...writesTodos('pending') },
      { text: 'Four five six.', pause_for: 'twice-2' },
      { text: 'Seven.' },
      { text: 'Eight.' },
    ]),
  );
  const session = await client.open();
  const promptId = await session.prompt('Twice');
  const steady = await session.subscribe();
  const leaving = await session.subscribe();
  await leaving.started(promptId);
  world.model.release('twice-1');
  const last = await leaving.until(says('three'));
  leaving.leave();
  const seen = leaving.events.filter(({ id }) => id <= last.id);
  world.model.release('twice-2');
  await steady.ended(promptId);

  const back = await session.subscribe(last.id);
  await back.ended(promptId);
  expect(back.events[0]?.id).toBe(last.id + 1);
  expect(steady.events.map(({ id }) => id)).toEqual(steady.events.map((_, index) => index + 1));
  expect([...seen, ...back.events].map(saidBy).join('')).toBe(steady.events.map(saidBy).join(''));
  expect([...seen, ...back.events].filter(isNotice)).toEqual(steady.notices);
});

test('[N7] a turn that runs is replayed in full, one that has ended compacted with its first id', async () => {
  world.model.add(
    scriptFor('Compact', [{ text: 'one two three four' }, { text: 'five six seven', pause_for: 'compact' }]),
  );
  const session = await client.open();
  const live = await session.subscribe();
  await live.ended(await session.prompt('Compact'));
  const second = await session.prompt('More');
  world.model.release('compact');
  await live.ended(second);
  const first = live.events.find(says('one'));

  const later = await session.subscribe();
  await later.ended(second);
  const whole = later.events.find(says('one'));
  expect(saidBy(whole ?? { type: '', id: 0 })).toBe('one two three four');
  expect(whole).toMatchObject({ id: first?.id, through: (first?.id ?? 0) + 3 });
});

test('[O2] [D2] [F21] a prompt that waits ends the request of an armed chain and runs next', async () => {
  world.model.add(
    scriptFor('Waits', [
      writesTodos('pending'),
      { text: 'I stop here.', pause_for: 'waits' },
      { text: 'The second one is done.' },
    ]),
  );
  const session = await client.open();
  const events = await session.subscribe();
  await session.prompt('Waits');
  const second = await session.prompt('The second prompt.');
  world.model.release('waits');
  await events.ended(second);
  expect(lastWords('Waits').some(isGuardPrompt)).toBe(false);
  expect(lastWords('Waits').at(-1)).toBe('The second prompt.');
  expect(events.notices).toEqual([]);
});

test('[O1] [O2] a message runs before a prompt that waits; dropping that prompt ends the chain', async () => {
  world.model.add(
    scriptFor('Dropped', [
      writesTodos('pending'),
      { text: 'I stop here.', pause_for: 'dropped-1' },
      { text: 'I heard the message.', pause_for: 'dropped-2' },
    ]),
  );
  const session = await client.open();
  const events = await session.subscribe();
  const first = await session.prompt('Dropped');
  await requestsSent(world.model, 'Dropped', 2);
  const second = await session.prompt('Never mind this one.');
  expect(await session.send('POST', '/messages', { text: 'A message.' })).toMatchObject({ status: 202 });
  world.model.release('dropped-1');
  await events.until(({ type, update }) => type === 'user_message' && textIn(update?.content) === 'A message.');
  expect((await session.send('DELETE', `/prompts/${second}`)).status).toBe(200);
  world.model.release('dropped-2');
  await events.ended(first);

  expect(lastWords('Dropped').slice(1)).toHaveLength(2);
  expect(lastWords('Dropped').at(-1)).toContain('A message.');
  expect(events.notices).toEqual([]);
  expect(events.events.some(({ type, promptId }) => type === 'prompt_dropped' && promptId === second)).toBe(true);
  expect(await session.send('DELETE', `/prompts/${second}`)).toMatchObject({ status: 404 });
});

test('[O2] a prompt that is dropped before any look leaves the guard as it was', async () => {
  world.model.add(
    scriptFor('Unseen', [
      { ...writesTodos('pending'), pause_for: 'unseen' },
      { text: 'One.' },
      { text: 'Two.' },
      { text: 'Three.' },
    ]),
  );
  const session = await client.open();
  const events = await session.subscribe();
  const first = await session.prompt('Unseen');
  const second = await session.prompt('Dropped at once.');
  await session.send('DELETE', `/prompts/${second}`);
  world.model.release('unseen');
  await events.ended(first);
  expect(lastWords('Unseen').filter(isGuardPrompt)).toHaveLength(2);
});

test('[C3] [O1] a message in the middle of a turn is sent once and gives a fresh stage', async () => {
  world.model.add(
    scriptFor('Fresh', [
      writesTodos('pending'),
      { text: 'One.' },
      { text: 'Two.', pause_for: 'fresh' },
      { text: 'Three.' },
      { text: 'Four.' },
      { text: 'Five.' },
    ]),
  );
  const session = await client.open();
  const events = await session.subscribe();
  const promptId = await session.prompt('Fresh');
  await requestsSent(world.model, 'Fresh', 3);
  await session.send('POST', '/messages', { text: 'Look at the second file too.' });
  world.model.release('fresh');
  await events.ended(promptId);
  const asked = lastWords('Fresh').slice(2);
  expect(asked.map(isGuardPrompt)).toEqual([true, false, true, true]);
  expect(asked[1]).toBe('Look at the second file too.');
});

test('[F27] a message that no drain has fetched opens the next prompt, once', async () => {
  world.model.add(
    scriptFor('Leftover', [{ text: 'Done.', pause_for: 'leftover' }, { text: 'I see.' }, { text: 'Yes.' }]),
  );
  const session = await client.open();
  const events = await session.subscribe();
  const first = await session.prompt('Leftover');
  expect((await session.send('POST', '/messages', { text: 'Too late.' })).status).toBe(202);
  world.model.release('leftover');
  await events.ended(first);
  expect((await session.send('POST', '/messages', { text: 'Nobody is there.' })).status).toBe(409);
  await events.ended(await session.prompt('Next.'));
  await events.ended(await session.prompt('And next.'));
  expect(lastWords('Leftover')).toEqual(['Leftover', 'Too late.\nNext.', 'And next.']);
});

test('[H1] [F31] a cancel ends the turn without a continuation, and the next prompt starts clean', async () => {
  world.model.add(
    scriptFor('Cancelled', [writesTodos('pending'), { text: 'Never heard.', pause_for: 'never' }, { text: 'Hello.' }]),
  );
  const session = await client.open();
  const events = await session.subscribe();
  const first = await session.prompt('Cancelled');
  await events.until(({ update }) => update?.sessionUpdate === 'plan');
  expect((await session.send('POST', '/cancel')).status).toBe(202);
  expect(await events.ended(first)).toMatchObject({ stopReason: 'cancelled' });
  expect(await events.ended(await session.prompt('Hello?'))).toMatchObject({ stopReason: 'end_turn' });
  expect(events.notices).toEqual([]);
});

test('[C2] a trusted retry keeps the chain of a provider error', async () => {
  world.model.add(
    scriptFor('Retried', [
      writesTodos('pending'),
      { error: { status: 500, message: 'The provider is down.' } },
      { text: 'One.' },
      { text: 'Two.' },
      { text: 'Three.' },
    ]),
  );
  const session = await client.open();
  const events = await session.subscribe();
  const failed = await events.ended(await session.prompt('Retried'));
  expect(failed.error).toContain('The provider is down.');
  await events.ended(await session.prompt('Try again.', { retry: true }));
  expect(events.notices).toHaveLength(3);
});

test('[C4] [O2] a prompt waits for a turn that the agent runs by itself, and hastens its end', async () => {
  world.model.add(
    scriptFor('Background', [
      {
        tool_calls: [{ name: 'run_shell_command', arguments: { command: 'echo finished', is_background: true } }],
      },
      { text: 'It runs.' },
      { text: 'It has ended.', pause_for: 'background' },
      { text: 'A message in an automatic turn.' },
      { text: 'Here I am.' },
    ]),
  );
  const session = await client.open();
  const events = await session.subscribe();
  const first = await session.prompt('Background');
  await events.ended(first);
  const automatic = await events.until(({ update }) => update?._meta?.['source'] === 'automatic_turn');
  const second = await session.prompt('Are you there?');
  expect((await session.send('POST', '/messages', { text: 'By the way.' })).status).toBe(202);
  world.model.release('background');
  await events.ended(second);
  const turn = events.events.filter(({ promptId }) => promptId === automatic.promptId);
  expect(turn.map(saidBy).join('')).toContain('It has ended.');
  expect(events.events.findIndex(({ type }) => type === 'prompt_started')).toBeLessThan(
    events.events.findIndex(({ id }) => id === automatic.id),
  );
  const { id } = await events.started(second);
  expect(turn.at(-1)?.id).toBeLessThan(id);
});

test('prompts that cannot be dropped or sent are refused with the reason', async () => {
  world.model.add(scriptFor('Refused', [{ text: 'Done.', pause_for: 'refused' }]));
  const session = await client.open();
  const events = await session.subscribe();
  const running = await session.prompt('Refused');
  const dropped = await session.send('DELETE', `/prompts/${running}`);
  expect(dropped.status).toBe(409);
  expect(dropped.body['error']).toContain('cancel');
  world.model.release('refused');
  await events.ended(running);
  expect((await session.send('DELETE', `/prompts/${running}`)).status).toBe(404);
});
