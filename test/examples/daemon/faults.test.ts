import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  DaemonClient,
  isNotice,
  requestsSent,
  saidBy,
  scriptFor,
  startDaemonProcess,
  startWorld,
  Subscriber,
  writesTodos,
} from './daemon-client.ts';
import { textIn } from './read-events.ts';
import type { ReadEvent } from './read-events.ts';

const FLAGS = ['--todo-stop-guard', '--approval-mode', 'yolo', '--ring-events', '20'];
let world: Awaited<ReturnType<typeof startWorld>>;
let client: DaemonClient;

beforeAll(async () => {
  world = await startWorld(FLAGS);
  client = new DaemonClient(world.daemon.url);
}, 60_000);
afterAll(() => world.stop());

const words = (count: number): string => Array.from({ length: count }, (_, index) => `w${index}`).join(' ');

test('[N7] guard notices stand on their own after the ring has rolled over', async () => {
  world.model.add(
    scriptFor('Rolled', [writesTodos('pending'), { text: words(30) }, { text: words(30) }, { text: words(30) }]),
  );
  const session = await client.open();
  const live = await session.subscribe();
  const promptId = await session.prompt('Rolled');
  await live.ended(promptId);

  const later = await session.subscribe();
  await later.ended(promptId);
  expect(later.notices.map(({ update }) => update?._meta)).toEqual(live.notices.map(({ update }) => update?._meta));
  expect(later.notices).toHaveLength(3);
  expect(later.said).toBe(live.said);
  expect(later.events.filter((event) => saidBy(event) !== '' && !isNotice(event))).toHaveLength(3);
  for (const { id, type } of later.events) {
    expect(live.events.find((event) => event.id === id)?.type).toBe(type);
  }
});

test('[N7] ids that are gone are announced, and what is left follows', async () => {
  world.model.add(scriptFor('Gone', [{ text: words(30), pause_for: 'gone' }]));
  const session = await client.open();
  const live = await session.subscribe();
  const promptId = await session.prompt('Gone');
  const started = await live.started(promptId);
  world.model.release('gone');
  await live.ended(promptId);
  const first = live.events.find((event) => saidBy(event) !== '');

  // Inside an event that exists in its compacted form only: it follows whole.
  const middle = await session.subscribe((first?.id ?? 0) + 2);
  await middle.ended(promptId);
  expect(middle.events[0]).toMatchObject({ type: 'gap' });
  expect(middle.said).toBe(live.said);

  // Ids that never were.
  const future = await session.subscribe(100_000);
  await future.ended(promptId);
  expect(future.events[0]).toMatchObject({ type: 'gap', id: 0 });
  expect(future.said).toBe(live.said);

  // Ids that are there.
  const exact = await session.subscribe(started.id);
  await exact.ended(promptId);
  expect(exact.events[0]?.id).toBe(started.id + 1);

  // Many small prompts push the oldest events out altogether.
  world.model.add(scriptFor('Gone', [{ text: 'ok', times: 30 }]));
  for (let count = 0; count < 30; count++) await live.ended(await session.prompt('More.'));
  const old = await session.subscribe(1);
  await old.until(({ type }) => type === 'prompt_ended');
  expect(old.events[0]).toMatchObject({ type: 'gap' });
  expect(old.events[1]?.id).toBe((old.events[0]?.id ?? 0) + 1);
});

test('a subscriber that does not read delays nobody, costs no memory, and is told what it has missed', async () => {
  world.model.add(scriptFor('Slow', [{ text: `${'x'.repeat(20_000)} `.repeat(200), times: 3 }]));
  const session = await client.open();
  const leaving = new AbortController();
  // The response is held, since fetch gives up the body of one that nobody holds.
  const response = await fetch(`${client.url}/sessions/${session.id}/events`, { signal: leaving.signal });
  const reader = await session.subscribe();
  const prompts: string[] = [];
  for (const text of ['Slow', 'again', 'again']) {
    prompts.push(await session.prompt(text));
    await reader.ended(prompts.at(-1) ?? '');
  }
  expect(reader.said.length).toBe(3 * 200 * 20_001);

  if (response.body === null) throw new Error('No events.');
  const slow = new Subscriber(response.body, leaving);
  await slow.ended(prompts.at(-1) ?? '');
  expect(slow.events.some(({ type }) => type === 'gap')).toBe(true);
  expect(slow.said.length).toBeLessThan(reader.said.length);
});

test('[C6] when the agent dies, prompts fail clearly and what comes next starts unarmed', async () => {
  world.model.add(scriptFor('Dies', [writesTodos('pending'), { text: 'Never said.', pause_for: 'never' }]));
  const session = await client.open();
  const other = await client.open();
  const events = await session.subscribe();
  const idle = await other.subscribe();
  const running = await session.prompt('Dies');
  const queued = await session.prompt('I wait.');
  await events.until(({ update }) => update?.sessionUpdate === 'plan');
  process.kill(world.daemon.agentPid(), 'SIGKILL');

  expect((await events.ended(running)).error).toContain('The agent process died.');
  expect((await events.ended(queued)).error).toContain('The agent process died.');
  expect((await idle.until(({ type }) => type === 'agent_lost')).error).toBe('The agent was ended by SIGKILL.');

  world.model.add(scriptFor('Try again', [{ text: 'Nothing to continue.' }]));
  const again = await session.prompt('Try again', { retry: true });
  expect(await events.ended(again)).toMatchObject({ stopReason: 'end_turn' });
  expect(events.notices).toEqual([]);

  world.model.add(scriptFor('A new one', [{ text: 'Hello.' }]));
  const fresh = await client.open();
  const seen = await fresh.subscribe();
  expect(await seen.ended(await fresh.prompt('A new one'))).toMatchObject({ stopReason: 'end_turn' });
});

test('[D3] what an agent had said before it died is taken first: a message that it took along is seen to go with it', async () => {
  const text = 'A note on the way.';
  world.model.add(
    scriptFor('Unread', [
      { ...writesTodos('pending'), pause_for: 'unread' },
      { text: 'On.', pause_for: 'never' },
    ]),
  );
  const session = await client.open();
  const events = await session.subscribe();
  const promptId = await session.prompt('Unread');
  await events.until((event) => event.type === 'user_message');
  expect((await session.send('POST', '/messages', { text })).status).toBe(202);
  const agent = world.daemon.agentPid();

  // The daemon stands still: it hears of the agent's drain and of its death at one moment.
  process.kill(world.daemon.pid, 'SIGSTOP');
  world.model.release('unread');
  // The drain goes unanswered for its two seconds; then the agent goes on without it.
  await requestsSent(world.model, 'Unread', 2);
  process.kill(agent, 'SIGKILL');
  process.kill(world.daemon.pid, 'SIGCONT');

  expect((await events.ended(promptId)).error).toContain('The agent process died.');
  const isNote = ({ type, update }: ReadEvent): boolean => type === 'user_message' && textIn(update?.content) === text;
  const order = events.events.filter((event) => isNote(event) || event.type === 'agent_lost').map(({ type }) => type);
  expect(order).toEqual(['user_message', 'agent_lost']);
});

test('[D4] a client that disconnects in the middle of anything changes nothing', async () => {
  world.model.add(
    scriptFor('Left', [
      { ...writesTodos('pending'), pause_for: 'left' },
      { text: 'One.' },
      { text: 'Two.' },
      { text: 'Three.' },
    ]),
  );
  const session = await client.open();
  const leaver = await session.subscribe();
  const promptId = await session.prompt('Left');
  await leaver.started(promptId);
  leaver.leave();
  await leaver.over;
  world.model.release('left');
  const later = await session.subscribe();
  expect(await later.ended(promptId)).toMatchObject({ stopReason: 'end_turn' });
  expect(later.notices).toHaveLength(3);
});

test('SIGTERM settles what runs: turns are cancelled, the agent ends, the clients hear of it', async () => {
  const daemon = await startDaemonProcess(world.model, FLAGS);
  world.model.add(scriptFor('Stopped', [{ text: 'Never said.', pause_for: 'never' }]));
  const session = await new DaemonClient(daemon.url).open();
  const events = await session.subscribe();
  const running = await session.prompt('Stopped');
  const queued = await session.prompt('I wait.');
  await events.until((event) => event.type === 'user_message');
  const agent = daemon.agentPid();
  expect(await daemon.stop()).toBe(0);
  await events.over;
  expect(await events.ended(running)).toMatchObject({ stopReason: 'cancelled' });
  expect(await events.ended(queued)).toMatchObject({ stopReason: 'cancelled' });
  expect(events.events.at(-1)?.type).toBe('session_closed');
  expect(() => process.kill(agent, 0)).toThrow('ESRCH');
});
