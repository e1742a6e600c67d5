import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { ReadEvent } from './read-events.ts';
import {
  asking,
  DaemonClient,
  isNotice,
  saidBy,
  scriptFor,
  startDaemonProcess,
  startWorld,
  temporaryDirectory,
  WRITES_FILE,
  writesTodos,
} from './daemon-client.ts';

let world: Awaited<ReturnType<typeof startWorld>>;
let client: DaemonClient;

beforeAll(async () => {
  world = await startWorld(['--todo-stop-guard']);
  client = new DaemonClient(world.daemon.url);
}, 60_000);
afterAll(() => world.stop());

test('[D4] [H4] a permission is answered after a reconnect, with the guard in the middle of its stage', async () => {
  world.model.add(asking('Permitted'));
  const cwd = await temporaryDirectory();
  const session = await client.open(cwd);
  const before = await session.subscribe();
  const promptId = await session.prompt('Permitted');
  const seen = await before.asked();
  before.leave();
  await before.over;
  expect(existsSync(join(cwd, 'note.txt'))).toBe(false);

  const after = await session.subscribe(seen.id - 1);
  const question = await after.asked();
  expect(question).toMatchObject({ id: seen.id, promptId, requestId: seen.requestId });
  expect(question.update).toMatchObject({ requestId: seen.requestId, toolCall: { name: 'write_file' } });
  expect(await session.answer(question, 'allow_once')).toBe(200);
  expect(await after.ended(promptId)).toMatchObject({ stopReason: 'end_turn' });
  expect(existsSync(join(cwd, 'note.txt'))).toBe(true);
  expect(await session.answer(question, 'allow_once')).toBe(404);
});

test('[D4] nobody there approves nothing: the question waits until it is cancelled', async () => {
  world.model.add(asking('Nobody'));
  const cwd = await temporaryDirectory();
  const session = await client.open(cwd);
  const promptId = await session.prompt('Nobody');
  const watcher = await session.subscribe();
  await watcher.asked();
  watcher.leave();
  await watcher.over;
  await session.send('POST', '/cancel');
  const later = await session.subscribe();
  expect(await later.ended(promptId)).toMatchObject({ stopReason: 'cancelled' });
  expect(later.events.find(({ type }) => type === 'permission_resolved')).toMatchObject({ optionId: null });
  expect(existsSync(join(cwd, 'note.txt'))).toBe(false);
});

test('[H1] [D4] a permission request that is cancelled with its session approves nothing', async () => {
  world.model.add(asking('Closed'));
  const cwd = await temporaryDirectory();
  const session = await client.open(cwd);
  await session.prompt('Closed');
  const watcher = await session.subscribe();
  await watcher.asked();
  expect((await session.send('DELETE', '')).status).toBe(200);
  await watcher.over;
  expect(watcher.events.at(-1)?.type).toBe('session_closed');
  expect(existsSync(join(cwd, 'note.txt'))).toBe(false);
  expect((await session.send('POST', '/prompts', { text: 'Hello?' })).status).toBe(404);
});

test('an option that does not exist is refused, and the question still waits', async () => {
  world.model.add(asking('Wrong'));
  const session = await client.open();
  const promptId = await session.prompt('Wrong');
  const events = await session.subscribe();
  const question = await events.asked();
  const refused = await session.send('POST', `/permissions/${question.requestId ?? ''}`, { optionId: 'always' });
  expect(refused).toMatchObject({ status: 400, body: { error: 'optionId must be one of allow_once, reject_once.' } });
  expect((await session.send('POST', '/permissions/none', { optionId: 'allow_once' })).status).toBe(404);
  expect(await session.answer(question, 'reject_once')).toBe(200);
  await events.ended(promptId);
});

test('[D4] ring, reconnect and permission are the same in one run with the guard and one without', async () => {
  const without = await startDaemonProcess(world.model);
  onTestFinished(async () => {
    expect(await without.stop()).toBe(0);
  });
  const [withGuard, plain] = [
    await meeting('With the guard', client),
    await meeting('Without one', new DaemonClient(without.url)),
  ];
  expect(withGuard.filter((line) => line !== 'notice')).toEqual(plain);
  expect(withGuard.filter((line) => line === 'notice')).toHaveLength(6);

  /** What a client sees that leaves at the question and answers it when it is back. */
  async function meeting(first: string, daemon: DaemonClient): Promise<readonly string[]> {
    world.model.add(
      scriptFor(first, [{ ...writesTodos('pending'), ...both() }, { text: 'I stop.' }, { text: '', times: 2 }]),
    );
    const session = await daemon.open();
    const promptId = await session.prompt(first);
    const before = await session.subscribe();
    const asked = await before.asked();
    before.leave();
    await before.over;
    const after = await session.subscribe(asked.id);
    await session.answer(asked, 'allow_once');
    await after.ended(promptId);
    const replay = await session.subscribe();
    await replay.ended(promptId);
    const sent = [...before.events.filter(({ id }) => id <= asked.id), ...after.events, ...replay.events];
    return sent.map(shape);
  }

  function both(): { tool_calls: { name: string; arguments: Record<string, unknown> }[] } {
    return { tool_calls: [...writesTodos('pending').tool_calls, ...WRITES_FILE.tool_calls] };
  }

  function shape(event: ReadEvent): string {
    if (isNotice(event)) return 'notice';
    return [event.type, event.update?.sessionUpdate, saidBy(event), event.stopReason].filter(Boolean).join(' ');
  }
});
