import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { guardPrompt } from 'todo-stop-guard';
import { beforeAll, describe, expect, test } from 'vitest';
import { playDemo } from '../../examples/headless/demo.ts';
import { DEFAULT_SCRIPT } from '../../examples/host/endpoint.ts';
import { connectModel } from '../../examples/host/model.ts';
import type { ChatRequest } from '../../examples/scripted-model/request.ts';
import { readScript } from '../../examples/scripted-model/script.ts';
import { startScriptedModel } from '../../examples/scripted-model/server.ts';
import { startChild } from './child-process.ts';
import { addedBy } from './session-harness.ts';

describe('what the demo sends to the model, over HTTP', () => {
  let requests: readonly ChatRequest[];
  let output = '';
  let greet = '';

  beforeAll(async () => {
    const cwd = await mkdtemp(join(tmpdir(), 'demo-'));
    const server = await startScriptedModel(await readScript(DEFAULT_SCRIPT));
    const model = connectModel({ baseURL: server.url, apiKey: 'none', model: 'scripted' });
    const { signal } = new AbortController();
    await playDemo({ model, cwd, signal, write: (text) => (output += text) });
    requests = server.requests;
    greet = await readFile(join(cwd, 'src', 'greet.js'), 'utf8');
    await server.close();
    await rm(cwd, { recursive: true });
    output = stripVTControlCharacters(output);
  });

  /** The n-th request's new words, from 1. */
  const added = (ordinal: number): readonly { role: string; text: string }[] => addedBy(requests[ordinal - 1]);

  test('[N1] the early stop is continued with the guard prompt, after a look', () => {
    expect(added(3)).toEqual([{ role: 'user', text: guardPrompt(3, false) }]);
  });

  test('[O1] [R2] the typed message goes out with the results and the reminder, and is last', () => {
    expect(added(4).map(({ role }) => role)).toEqual(['tool', 'tool', 'user']);
    expect(added(4)[1]?.text).toMatch(/- \[in_progress\] Write a test and run it[^]*<\/system-reminder>$/);
    expect(added(4)[2]?.text).toBe('Greet in French too, please.');
  });

  test('the tools are real: the file is there, and its test has passed', () => {
    expect(greet).toContain('Bonjour');
    expect(output).toContain('2 assertions passed');
  });

  test('[B8] [N2] the second task is continued twice and ends in exhaustion', () => {
    expect(added(9)).toEqual([{ role: 'user', text: guardPrompt(2, false) }]);
    expect(added(10).at(-1)).toEqual({ role: 'user', text: guardPrompt(1, true) });
    expect(output).toContain('Automatic continuation stopped after 2 attempts; 1 todo item(s) remain unfinished.');
  });

  test('[O4] [C4] [F18] the second act waits for its build, and goes on with the result, without an attempt', () => {
    const [, , notification] = requests.slice(10);
    expect(addedBy(notification)[0]?.text).toMatch(/^<task-notification>[^]*bundled/);
    const secondAct = output.slice(output.indexOf('Act two'));
    expect(secondAct).not.toContain('Automatic continuation');
    expect(secondAct).toContain('looked → stop (background)');
  });

  test('[C5] the cron fire is held, and then runs as a chain of its own', () => {
    const secondAct = output.slice(output.indexOf('Act two'));
    const held = secondAct.indexOf('automatic_turn_requested → hold (background)');
    const ran = secondAct.indexOf('by itself Cron:');
    expect(held).toBeGreaterThan(0);
    expect(ran).toBeGreaterThan(secondAct.indexOf('The package is built'));
    expect(secondAct.slice(0, ran)).toMatch(
      /admit: a task of its own[^]*admit: it belongs to the task[^]*admit: a task of its own/,
    );
  });

  test('each decision is shown with what led to it and its reason', () => {
    for (const line of [
      'guard prompt_started → admit: a task of its own',
      'guard model_stopped → look: the model stopped with items open',
      'guard looked → prepare: 3 items are open',
      'guard looked → send: still nothing came in; automatic continuation 1 of 2',
      'guard looked → continue: you come first',
      'guard looked → stop (exhausted): the automatic continuations are used up',
      'guard stop_hooks_finished → stop (nothing_unfinished)',
    ]) {
      expect(output).toContain(line);
    }
  });
});

test('npm run demo, as a process: with nothing configured it plays and ends well', async () => {
  const host = startChild('examples/headless/main.ts', ['--todo-stop-guard', '--safe-mode']);
  expect(await host.exited).toBe(0);
  expect(host.output()).toContain('The demo has flags of its own.');
  expect(host.output()).toContain('Act one');
  expect(host.output()).toContain('That was all.');
});
