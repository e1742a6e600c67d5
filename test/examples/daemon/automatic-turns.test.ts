import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startScriptedModel } from '../../../examples/scripted-model/server.ts';
import {
  DaemonClient,
  requestsSent,
  scriptFor,
  startDaemonProcess,
  temporaryDirectory,
  writesTodos,
} from './daemon-client.ts';
import { textIn } from './read-events.ts';

test('[Q2] [O2] [F26] what a queued prompt held back runs once the last one is dropped, and only then', async () => {
  const directory = await temporaryDirectory();
  const cron = join(directory, 'cron.json');
  await writeFile(cron, JSON.stringify([{ id: 'clock', every_seconds: 2, prompt: 'Tick' }]));
  const model = await startScriptedModel({});
  const daemon = await startDaemonProcess(model, ['--todo-stop-guard', '--cron', cron]);
  onTestFinished(async () => {
    await daemon.stop();
    await model.close();
  });
  model.add(
    scriptFor('Held', [
      writesTodos('pending'),
      { text: 'I stop here.', pause_for: 'first' },
      { text: 'I heard the message.', pause_for: 'second' },
    ]),
  );
  model.add({ conversations: [{ when: { last_user: 'Tick' }, responses: [{ text: 'Tock.', times: 1000 }] }] });

  const session = await new DaemonClient(daemon.url).open(directory);
  const events = await session.subscribe();
  const first = await session.prompt('Held');
  await requestsSent(model, 'Held', 2);
  const second = await session.prompt('I wait.');
  await session.send('POST', '/messages', { text: 'A message.' });
  model.release('first');
  await events.until(({ type, update }) => type === 'user_message' && textIn(update?.content) === 'A message.');
  await session.send('DELETE', `/prompts/${second}`);
  model.release('second');

  const ended = await events.ended(first);
  const automatic = await events.until(({ update }) => update?._meta?.['source'] === 'automatic_turn');
  expect(automatic.id).toBeGreaterThan(ended.id);
  await events.until(({ update }) => update?.sessionUpdate === 'session_info_update');
  expect(events.notices).toEqual([]);
});
