import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { ScriptInput } from '../../../examples/scripted-model/script.ts';
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
  WRITES_FILE,
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

describe('the methods of the agent that change a session, over /acp', () => {
  /** A list that is open, three stops, and what comes after. */
  const guarded = (first: string, ...after: { text: string }[]): ScriptInput =>
    scriptFor(first, [writesTodos('pending'), { text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }, ...after]);

  test('[C6] a rewind takes turns back, and says so when there were not so many', async () => {
    world.model.add(guarded('Rewound', { text: 'New.' }));
    world.model.add(scriptFor('Start over', [{ text: 'Over.' }]));
    const acp = await AcpHttpClient.connect(world.daemon.url);
    const sessionId = await acp.open(await temporaryDirectory());
    await acp.prompt(sessionId, 'Rewound');
    await expect(acp.call('craft/rewind', { sessionId, turns: 2 })).rejects.toMatchObject({ code: -32602 });
    expect(await acp.call('craft/rewind', { sessionId, turns: 1 })).toEqual({});
    await acp.prompt(sessionId, 'Start over');
    expect(acp.said.at(-1)).toBe('Over.');
    await expect(acp.call('craft/rewind', { sessionId })).rejects.toThrow('turns');
  });

  test('[C6] a session goes to another directory, and a new agent finds it there', async () => {
    world.model.add(scriptFor('Moved', [WRITES_FILE, { text: 'Wrote.' }]));
    world.model.add(scriptFor('Again', [WRITES_FILE, { text: 'Wrote again.' }]));
    const acp = await AcpHttpClient.connect(world.daemon.url);
    const sessionId = await acp.open(await temporaryDirectory());
    const cwd = await temporaryDirectory();
    const write = async (words: string): Promise<void> => {
      const asked = acp.questions.length;
      const response = acp.prompt(sessionId, words);
      await acp.until(() => acp.questions.length > asked);
      acp.questions.at(-1)?.answer({ outcome: { outcome: 'selected', optionId: 'allow_once' } });
      await response;
    };
    await expect(acp.call('craft/changeDirectory', { sessionId, cwd: join(cwd, 'nowhere') })).rejects.toThrow('cwd');
    expect(await acp.call('craft/changeDirectory', { sessionId, cwd })).toEqual({});
    await write('Moved');
    expect(existsSync(join(cwd, 'note.txt'))).toBe(true);

    await rm(join(cwd, 'note.txt'));
    const events = await new SessionClient(new DaemonClient(world.daemon.url), sessionId, {}).subscribe();
    process.kill(world.daemon.agentPid(), 'SIGKILL');
    await events.until(({ type }) => type === 'agent_lost');
    await write('Again');
    expect(existsSync(join(cwd, 'note.txt'))).toBe(true);
  });

  test('[C6] a branch is a session of its own, with the history and without the trust', async () => {
    world.model.add(
      guarded('Branched', { text: 'On the branch.' }, { text: 'On the trunk.' }, { text: 'Still here.' }),
    );
    const acp = await AcpHttpClient.connect(world.daemon.url);
    const sessionId = await acp.open(await temporaryDirectory());
    await acp.prompt(sessionId, 'Branched');
    const answer = z.object({ sessionId: z.string() }).parse(await acp.call('craft/branch', { sessionId }));
    expect(answer.sessionId).not.toBe(sessionId);

    const notices = acp.updates.filter(isGuardNotice).length;
    expect(await acp.prompt(answer.sessionId, 'And here?')).toMatchObject({ stopReason: 'end_turn' });
    expect(await acp.prompt(sessionId, 'And there?')).toMatchObject({ stopReason: 'end_turn' });
    expect(acp.said.join('')).toContain('On the branch.On the trunk.');
    expect(acp.updates.filter(isGuardNotice)).toHaveLength(notices);
    const rest = new SessionClient(new DaemonClient(world.daemon.url), answer.sessionId, {});
    expect((await rest.send('DELETE', '')).status).toBe(200);
    expect(await acp.prompt(sessionId, 'Still there?')).toMatchObject({ stopReason: 'end_turn' });
  });
});
