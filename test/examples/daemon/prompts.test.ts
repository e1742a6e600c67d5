import { afterAll, beforeAll, expect, test } from 'vitest';
import { textOf } from '../../../examples/scripted-model/request.ts';
import { DaemonClient, isNotice, saidBy, scriptFor, startWorld, writesTodos } from './daemon-client.ts';

let world: Awaited<ReturnType<typeof startWorld>>;
let client: DaemonClient;

beforeAll(async () => {
  world = await startWorld(['--todo-stop-guard', '--approval-mode', 'yolo']);
  client = new DaemonClient(world.daemon.url);
}, 60_000);
afterAll(() => world.stop());

/** What the model was sent in a session, as the last message of each request. */
function lastWords(first: string): readonly string[] {
  return world.model.requests
    .filter(({ messages }) => textOf(messages.find(({ role }) => role === 'user')).includes(first))
    .map(({ messages }) => textOf(messages.at(-1)));
}

test('[N7] [D4] a prompt runs with nobody listening, and a later subscriber reads each guard notice on its own', async () => {
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
  const watcher = await session.subscribe();
  await watcher.ended(promptId);

  const later = await session.subscribe();
  expect(await later.ended(promptId)).toMatchObject({ stopReason: 'end_turn' });
  expect(later.notices.map(({ update }) => update?._meta)).toEqual([
    { source: 'todo_stop_guard', qwenDiscreteMessage: true, attempt: 1, maxAttempts: 2, unfinishedCount: 2 },
    { source: 'todo_stop_guard', qwenDiscreteMessage: true, attempt: 2, maxAttempts: 2, unfinishedCount: 2 },
    { source: 'todo_stop_guard', qwenDiscreteMessage: true, attempt: 2, maxAttempts: 2, unfinishedCount: 2 },
  ]);
  const words = later.events.map((event) => (isNotice(event) ? '-' : saidBy(event))).filter((text) => text !== '');
  expect(words).toEqual(['I did some of it.', '-', 'I did more of it.', '-', 'I leave the rest.', '-']);
});
