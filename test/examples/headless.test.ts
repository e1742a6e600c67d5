import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guardPrompt } from 'todo-stop-guard';
import { describe, expect, onTestFinished, test } from 'vitest';
import { TypedLines } from '../../examples/headless/typed-lines.ts';
import type { ScriptInput } from '../../examples/scripted-model/script.ts';
import type { ScriptedModel } from '../../examples/scripted-model/server.ts';
import { startScriptedModel } from '../../examples/scripted-model/server.ts';
import type { ChildHost } from './child-process.ts';
import { startChild, startProgram } from './child-process.ts';
import { addedBy, todoWrite } from './session-harness.ts';

const OPEN = { tool_calls: [todoWrite({ a: 'pending' })] };

/** The headless host as a process, on a model that is configured by the environment. */
async function start(
  script: ScriptInput,
  ...args: string[]
): Promise<ChildHost & { model: ScriptedModel; cwd: string }> {
  const model = await startScriptedModel(script);
  const cwd = await mkdtemp(join(tmpdir(), 'headless-'));
  onTestFinished(async () => {
    await model.close();
    await rm(cwd, { recursive: true, force: true });
  });
  const env = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'secret', OPENAI_MODEL: 'some-model' };
  return { ...startChild('examples/headless/main.ts', ['--cwd', cwd, ...args], env), model, cwd };
}

describe('on a configured model', () => {
  test('a prompt runs on the model of the environment; with the guard off the stop is the end', async () => {
    const { model, exited, child, output } = await start(
      { responses: [OPEN, { text: 'Done?' }] },
      '--prompt',
      'Do it.',
    );
    child.stdin.end();
    expect(await exited).toBe(0);
    expect(model.requests.map(({ model: name }) => name)).toEqual(['some-model', 'some-model']);
    expect(output()).not.toContain('[Todo Stop Guard]');
  });

  test('[B8] with --todo-stop-guard it is continued twice', async () => {
    const { model, exited, child, output } = await start(
      { responses: [OPEN, { text: 'Hm.', times: 3 }] },
      '--todo-stop-guard',
      '--prompt',
      'Do it.',
    );
    child.stdin.end();
    expect(await exited).toBe(0);
    expect(addedBy(model.requests[3])).toEqual([{ role: 'user', text: guardPrompt(1, true) }]);
    expect(output()).toContain('looked → stop (exhausted)');
  });

  test.each([['--safe-mode'], ['--bare'], ['--approval-mode', 'plan']])('[G2] %s %s turns it off', async (...flags) => {
    const { model, exited, child } = await start(
      { responses: [OPEN, { text: 'Done?' }] },
      '--todo-stop-guard',
      '--prompt',
      'Do it.',
      ...flags,
    );
    child.stdin.end();
    expect(await exited).toBe(0);
    expect(model.requests).toHaveLength(2);
  });

  test('[O1] a line that is typed while a turn runs is a message; afterwards it is a prompt', async () => {
    const { model, child, untilSaid, exited } = await start(
      {
        responses: [
          { ...OPEN, pause_for: 'typed' },
          { tool_calls: [todoWrite({ a: 'completed' })] },
          { text: 'Tabs it is.' },
          { text: 'You are welcome.' },
        ],
      },
      '--todo-stop-guard',
      '--prompt',
      'Do it.',
    );
    await model.request(1);
    child.stdin.write('Use tabs.\n');
    await untilSaid('noted: Use tabs.');
    model.release('typed');
    await untilSaid('Tabs it is.');
    child.stdin.end('Thanks.\n');
    expect(await exited).toBe(0);
    const words = model.requests.flatMap((request) => addedBy(request)).filter(({ role }) => role === 'user');
    expect(words.map(({ text }) => text)).toEqual(['Do it.', 'Use tabs.', 'Thanks.']);
  });

  test('[H2] [C2] after an error /retry goes on with the chain and its reminder', async () => {
    const { model, child, untilSaid, exited, output } = await start(
      {
        responses: [
          OPEN,
          { error: { status: 503, message: 'overloaded' } },
          { tool_calls: [todoWrite({ a: 'completed' })] },
          { text: 'Done.' },
        ],
      },
      '--todo-stop-guard',
      '--prompt',
      'Do it.',
    );
    await untilSaid('overloaded');
    await untilSaid('the turn is over');
    child.stdin.end('/retry\n');
    expect(await exited).toBe(0);
    expect(output()).toContain('prompt_started → admit: it belongs to the task');
    expect(addedBy(model.requests[2]).map(({ role }) => role)).toEqual(['tool', 'user']);
    expect(addedBy(model.requests[2])[0]?.text).toContain('<system-reminder>');
  });

  test('[H1] Ctrl-C cancels the turn; another one leaves', async () => {
    const { model, child, untilSaid, exited } = await start(
      { responses: [{ text: 'Never.', pause_for: 'never' }] },
      '--prompt',
      'Do it.',
    );
    await model.request(1);
    await untilSaid('Do it.');
    child.kill('SIGINT');
    await untilSaid('the turn is over (cancelled)');
    child.kill('SIGINT');
    expect(await exited).toBe(1);
  });

  test('a signal to npm reaches the host', async () => {
    const model = await startScriptedModel({ responses: [{ text: 'Never.', pause_for: 'never' }] });
    onTestFinished(() => model.close());
    const host = startProgram('npm', ['run', 'demo', '--', '--prompt', 'Do it.'], { OPENAI_BASE_URL: model.url });
    await model.request(1);
    await host.untilSaid('you Do it.');
    host.child.kill('SIGTERM');
    await host.exited;
    expect(host.output()).toContain('the turn is over (cancelled)');
  });

  test('[H4] default asks before a change: only what is typed after the question answers it', async () => {
    const write = { name: 'write_file', arguments: { file_path: 'a.txt', content: 'a' } };
    const { child, untilSaid, exited, cwd, model } = await start(
      { responses: [{ tool_calls: [write], pause_for: 'typed' }, { text: 'Done.' }] },
      '--prompt',
      'Write a file.',
    );
    await model.request(1);
    await untilSaid('Write a file.');
    child.stdin.write('yes\n');
    await untilSaid('noted: yes');
    model.release('typed');
    await untilSaid('[y]es, [n]o');
    await expect(readFile(join(cwd, 'a.txt'))).rejects.toThrow();
    child.stdin.end('y\n');
    expect(await exited).toBe(0);
    expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('a');
    expect(addedBy(model.requests[1]).at(-1)).toEqual({ role: 'user', text: 'yes' });
  });

  test('[D4] [H4] when nobody can answer, a change is not allowed', async () => {
    const write = { name: 'write_file', arguments: { file_path: 'a.txt', content: 'a' } };
    const { child, exited, cwd, model } = await start(
      { responses: [{ tool_calls: [write] }, { text: 'Done.' }] },
      '--prompt',
      'Write a file.',
    );
    child.stdin.end();
    expect(await exited).toBe(0);
    expect(addedBy(model.requests[1])[0]?.text).toContain('did not allow');
    await expect(readFile(join(cwd, 'a.txt'))).rejects.toThrow();
  });

  test('[H4] two sub-agents that ask at once are answered one after the other', async () => {
    const write = (file_path: string) => ({
      tool_calls: [{ name: 'write_file', arguments: { file_path, content: 'x' } }],
    });
    const delegate = (prompt: string) => ({ name: 'agent', arguments: { prompt, is_background: true } });
    const { child, exited, untilSaid, output, cwd } = await start(
      {
        conversations: [
          { when: { first_user: 'One.' }, responses: [write('one.txt'), { text: 'Done.' }] },
          { when: { first_user: 'Two.' }, responses: [write('two.txt'), { text: 'Done.' }] },
        ],
        responses: [{ tool_calls: [delegate('One.'), delegate('Two.')] }, { text: 'Waiting.', times: 3 }],
      },
      '--prompt',
      'Delegate it.',
    );
    await untilSaid('[y]es, [n]o');
    await untilSaid('Waiting.');
    const first = output().includes('"one.txt"') ? 'two' : 'one';
    child.stdin.write('y\n');
    await untilSaid(`"file_path":"${first}.txt","content":"x"}  [y]es`);
    child.stdin.end('y\n');
    expect(await exited).toBe(0);
    expect(await Promise.all(['one', 'two'].map((name) => readFile(join(cwd, `${name}.txt`), 'utf8')))).toEqual([
      'x',
      'x',
    ]);
  });

  test('a message that waits when the host is told to end is given up', async () => {
    const { model, child, untilSaid, exited, output } = await start(
      { responses: [{ text: 'Never.', pause_for: 'never' }] },
      '--prompt',
      'Do it.',
    );
    await model.request(1);
    child.stdin.write('Use tabs.\n');
    await untilSaid('noted: Use tabs.');
    child.kill('SIGTERM');
    await exited;
    expect(output()).toContain('the turn is over (cancelled)');
    expect(output()).not.toContain('    at ');
  });

  test('when nobody reads any more it ends, and says nothing about it', async () => {
    const { model, child, untilSaid, exited, output } = await start(
      {
        responses: [
          { text: 'One two three.', pause_for: 'deaf' },
          { text: 'Never.', pause_for: 'never' },
        ],
      },
      '--prompt',
      'Do it.',
    );
    await model.request(1);
    await untilSaid('Do it.');
    child.stdout.destroy();
    model.release('deaf');
    await exited;
    expect(output()).not.toContain('EPIPE');
  });

  test('--cron runs its prompts until the user leaves', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'cron-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const file = join(directory, 'cron.json');
    await writeFile(file, JSON.stringify([{ id: 'tidy', every_seconds: 0.1, prompt: 'Tidy up.' }]));
    const { untilSaid, child, exited } = await start({ responses: [{ text: 'Tidied.', times: 1000 }] }, '--cron', file);
    await untilSaid('by itself Tidy up.');
    child.kill('SIGTERM');
    expect(await exited).toBe(0);
  });
});

describe('what does not fit is a clear error', () => {
  test.each([
    [['--approval-mode', 'loose'], '--approval-mode'],
    [['--token-limit', '0'], '--token-limit'],
    [['--max-same-calls', 'three'], '--max-same-calls'],
    [['--prompt', ' '], '--prompt'],
    [['--cron', '/no/such/file'], '--cron /no/such/file'],
    [['--script', '/no/such/script'], '/no/such/script'],
    [['--no-such-flag'], '--no-such-flag'],
    [['--prompt', 'Go.', '--cwd', '/no/such/directory'], '--cwd /no/such/directory'],
  ])('%j', async (args, named) => {
    const host = startChild('examples/headless/main.ts', args);
    expect(await host.exited).toBe(1);
    expect(host.output()).toContain(named);
  });
});

describe('typed lines', () => {
  test('[O2] [F21] a trusted command that is typed while a turn runs is a queued prompt', () => {
    const lines = new TypedLines(
      () => true,
      () => undefined,
    );
    lines.type('Use tabs.');
    lines.type('/continue with b');
    expect(lines.drain()).toEqual({ messages: ['Use tabs.'], hasQueuedPrompt: true });
    expect(lines.nextPrompt()).toEqual({ text: 'with b', origin: 'continue' });
    expect(lines.drain()).toEqual({ messages: [], hasQueuedPrompt: false });
  });

  test('a command that does not exist is no prompt: it would begin another task', () => {
    const lines = new TypedLines(
      () => false,
      () => undefined,
    );
    expect(lines.type('/retyr')).toBe('unknown');
    expect(lines.nextPrompt()).toBeUndefined();
    lines.type('/tmp is full');
    expect(lines.nextPrompt()).toEqual({ text: '/tmp is full', origin: 'user' });
  });

  test('[F27] messages that no look has taken become the next prompt', () => {
    const lines = new TypedLines(
      () => true,
      () => undefined,
    );
    lines.type('One.');
    lines.type('Two.');
    expect(lines.nextPrompt()).toEqual({ text: 'One.\nTwo.', origin: 'user' });
    expect(lines.nextPrompt()).toBeUndefined();
  });

  test('[F27] an earlier message does not answer a question; the next line does, and the end of the input is no yes', async () => {
    const lines = new TypedLines(
      () => true,
      () => undefined,
    );
    lines.type('yes');
    const { signal } = new AbortController();
    const first = lines.ask(signal);
    lines.type('no');
    expect(await first).toBe('no');
    const second = lines.ask(signal);
    lines.end();
    expect(await second).toBeNull();
    expect(lines.drain().messages).toEqual(['yes']);
  });
});
