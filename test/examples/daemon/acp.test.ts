import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isGuardNotice } from 'todo-stop-guard/acp';
import { AcpHttpClient } from './acp-client.ts';
import type { DaemonProcess } from './daemon-client.ts';
import {
  asking,
  DaemonClient,
  scriptFor,
  SessionClient,
  startDaemonProcess,
  startWorld,
  temporaryDirectory,
  writesTodos,
} from './daemon-client.ts';

let world: Awaited<ReturnType<typeof startWorld>>;
/** The same daemon with a grace that a test can wait for. */
let impatient: DaemonProcess;

beforeAll(async () => {
  world = await startWorld(['--todo-stop-guard']);
  impatient = await startDaemonProcess(world.model, ['--todo-stop-guard', '--grace-seconds', '1']);
}, 90_000);
afterAll(async () => {
  await impatient.stop();
  await world.stop();
});

test('[N3] [N4] a session over /acp runs with its notices, and REST clients read it too', async () => {
  world.model.add(
    scriptFor('Acp', [
      writesTodos('pending'),
      { text: 'One.' },
      { text: 'Two.' },
      { text: 'Three.' },
      { text: 'Yes.' },
    ]),
  );
  const acp = await AcpHttpClient.connect(world.daemon.url);
  const sessionId = await acp.open(await temporaryDirectory());
  const response = await acp.prompt(sessionId, 'Acp');
  expect(response).toMatchObject({ stopReason: 'end_turn', _meta: { usage: { totalTokens: 100 } } });
  expect(acp.updates.filter(isGuardNotice)).toHaveLength(3);

  const rest = new SessionClient(new DaemonClient(world.daemon.url), sessionId, {});
  const events = await rest.subscribe();
  const next = await rest.prompt('Over REST.');
  await events.ended(next);
  expect(events.notices).toHaveLength(3);
  await acp.until(() => acp.said.includes('Yes.'));
  await acp.closeSession(sessionId);
  expect((await rest.send('POST', '/prompts', { text: 'Hello?' })).status).toBe(404);
  await expect(acp.prompt(sessionId, 'Hello?')).rejects.toThrow();
});

test('[D4] a client that is back in time finds its session, the replay and the question that waits', async () => {
  world.model.add(asking('Back'));
  const cwd = await temporaryDirectory();
  const lost = await AcpHttpClient.connect(world.daemon.url);
  const sessionId = await lost.open(cwd);
  lost.prompt(sessionId, 'Back').catch(() => undefined);
  await lost.until(() => lost.questions.length === 1);
  lost.cut();

  const back = await AcpHttpClient.connect(world.daemon.url);
  await back.load(sessionId);
  await back.until(() => back.questions.length === 1);
  expect(existsSync(join(cwd, 'note.txt'))).toBe(false);
  expect(back.updates.filter(isGuardNotice)).toHaveLength(1);
  // What the lost client says now is no answer any more.
  lost.questions[0]?.answer({ outcome: { outcome: 'selected', optionId: 'allow_once' } });
  back.questions[0]?.answer({ outcome: { outcome: 'selected', optionId: 'allow_once' } });
  await back.until(() => back.said.some((text) => text.includes('stopped after 2 attempts')));
  expect(existsSync(join(cwd, 'note.txt'))).toBe(true);
  expect(back.updates.filter(isGuardNotice)).toHaveLength(3);
});

test('[D4] a permission that REST answers is settled for the ACP client too', async () => {
  world.model.add(asking('Elsewhere'));
  const acp = await AcpHttpClient.connect(world.daemon.url);
  const sessionId = await acp.open(await temporaryDirectory());
  const response = acp.prompt(sessionId, 'Elsewhere');
  const rest = new SessionClient(new DaemonClient(world.daemon.url), sessionId, {});
  const question = await (await rest.subscribe()).asked();
  await acp.until(() => acp.questions.length === 1);
  expect(await rest.answer(question, 'reject_once')).toBe(200);
  expect(await response).toMatchObject({ stopReason: 'end_turn' });
});

test.for([
  ['the default ten seconds', () => world.daemon],
  ['one second', () => impatient],
] as const)(
  '[D4] [C6] after %s of grace the session ends, with the guard armed and a question open: nothing is approved',
  { timeout: 60_000 },
  async ([grace, daemon]) => {
    const { url } = daemon();
    world.model.add(asking(`Gone for ${grace}`));
    const cwd = await temporaryDirectory();
    const lost = await AcpHttpClient.connect(url);
    const sessionId = await lost.open(cwd);
    const rest = new SessionClient(new DaemonClient(url), sessionId, {});
    const events = await rest.subscribe();
    lost.prompt(sessionId, `Gone for ${grace}`).catch(() => undefined);
    await lost.until(() => lost.questions.length === 1);
    lost.cut();
    await events.over;
    expect(events.events.at(-1)?.type).toBe('session_closed');
    expect(events.events.find(({ type }) => type === 'prompt_ended')).toMatchObject({ stopReason: 'cancelled' });
    expect(existsSync(join(cwd, 'note.txt'))).toBe(false);

    const late = await AcpHttpClient.connect(url);
    await expect(late.load(sessionId)).rejects.toThrow('There is no session');
  },
);

test('a session of REST outlives its visitors', async () => {
  world.model.add(scriptFor('Visited', [{ text: 'Hello.' }, { text: 'Still here.' }]));
  const session = await new DaemonClient(impatient.url).open();
  const events = await session.subscribe();
  await events.ended(await session.prompt('Visited'));
  const visitor = await AcpHttpClient.connect(impatient.url);
  await visitor.load(session.id);
  expect(visitor.said).toEqual(['Hello.']);
  const own = await visitor.open(await temporaryDirectory());
  const fate = await new SessionClient(new DaemonClient(impatient.url), own, {}).subscribe();
  visitor.close();
  await fate.over;
  expect(await events.ended(await session.prompt('And now?'))).toMatchObject({ stopReason: 'end_turn' });
});

test('[H1] [O2] prompts over /acp queue with the others, and a cancel ends the one that runs', async () => {
  world.model.add(
    scriptFor('Queue', [{ text: 'First.', pause_for: 'never' }, { text: 'Second.' }, { text: 'Third.' }]),
  );
  const acp = await AcpHttpClient.connect(world.daemon.url);
  const sessionId = await acp.open(await temporaryDirectory());
  const rest = new SessionClient(new DaemonClient(world.daemon.url), sessionId, {});
  const events = await rest.subscribe();
  const first = acp.prompt(sessionId, 'Queue');
  await events.until(({ type }) => type === 'user_message');
  const second = await rest.prompt('Two');
  const third = acp.prompt(sessionId, 'Three');
  await acp.cancel(sessionId);
  expect((await first).stopReason).toBe('cancelled');
  await events.ended(second);
  expect((await third).stopReason).toBe('end_turn');
  expect(acp.said).toEqual(['Second.', 'Third.']);
});
