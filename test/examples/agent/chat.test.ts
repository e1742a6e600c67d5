import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ScriptInput } from '../../../examples/scripted-model/script.ts';
import type { ScriptedModel } from '../../../examples/scripted-model/server.ts';
import { startScriptedModel } from '../../../examples/scripted-model/server.ts';
import { addedBy, todoWrite } from '../session-harness.ts';
import { continued, exhausted } from './agent-harness.ts';

const OPEN = { tool_calls: [todoWrite({ a: 'pending' })] };

/** The chat in a pipe, with the agent behind it. */
class Chat {
  readonly process: ChildProcessWithoutNullStreams;
  readonly exited: Promise<unknown>;
  screen = '';
  readonly #watchers = new Set<() => void>();

  constructor(model: ScriptedModel, cwd: string, flags: readonly string[]) {
    this.process = spawn(process.execPath, ['--import', 'tsx', 'examples/agent/chat.ts', '--cwd', cwd, ...flags], {
      env: { ...process.env, OPENAI_BASE_URL: model.url, NO_COLOR: '1' },
    });
    this.exited = once(this.process, 'exit').then(([code]: unknown[]) => code);
    this.process.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.screen += text;
      for (const look of this.#watchers) look();
    });
  }

  type(line: string): void {
    this.process.stdin.write(`${line}\n`);
  }

  /** Resolves when the screen shows this. */
  shows(text: string): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!this.screen.includes(text)) return;
        this.#watchers.delete(look);
        resolve();
      };
      this.#watchers.add(look);
      look();
    });
  }
}

async function startChat(
  script: ScriptInput,
  flags: readonly string[],
): Promise<{ chat: Chat; model: ScriptedModel; cwd: string }> {
  const cwd = await mkdtemp(join(tmpdir(), 'chat-'));
  const model = await startScriptedModel(script);
  const chat = new Chat(model, cwd, flags);
  onTestFinished(async () => {
    chat.process.stdin.end();
    chat.process.kill('SIGTERM');
    await chat.exited;
    await model.close();
    await rm(cwd, { recursive: true, force: true });
  });
  return { chat, model, cwd };
}

test('[O1] [N3] [N4] a line typed while a turn runs goes to that turn; the notices and the list are shown', async () => {
  const { chat, model } = await startChat(
    { responses: [{ ...OPEN, pause_for: 'typed' }, { text: 'Done?' }, { text: 'Yes?' }, { text: 'Hm.' }] },
    ['--todo-stop-guard'],
  );
  chat.type('Do a.');
  await model.request(1);
  chat.type('Use tabs.');
  await chat.shows('noted: Use tabs.');
  model.release('typed');
  chat.process.stdin.end();
  expect(await chat.exited).toBe(0);
  expect(addedBy(model.requests[1]).at(-1)).toEqual({ role: 'user', text: 'Use tabs.' });
  for (const text of ['☐ do a', continued(1, 1), continued(2, 1), exhausted(1), 'the turn is over (end_turn)']) {
    expect(chat.screen).toContain(text);
  }
});

test('[H1] Ctrl-C cancels the turn, and leaves once none runs', async () => {
  const { chat, model } = await startChat({ responses: [{ text: 'Never.', wait_for: 'never' }] }, []);
  chat.type('Do a.');
  await model.request(1);
  chat.process.kill('SIGINT');
  await chat.shows('the turn is over (cancelled)');
  chat.process.kill('SIGINT');
  expect(await chat.exited).toBe(0);
});

test('[F27] a permission is asked for in the terminal: only a line typed after the question answers', async () => {
  const write = { tool_calls: [{ name: 'write_file', arguments: { file_path: 'a.txt', content: 'a' } }] };
  const { chat, model, cwd } = await startChat(
    { responses: [{ ...write, pause_for: 'typed' }, { text: 'Written.' }] },
    [],
  );
  chat.type('Write a.');
  await model.request(1);
  chat.type('n');
  await chat.shows('noted: n');
  model.release('typed');
  await chat.shows('allow?');
  chat.type('y');
  await chat.shows('the turn is over (end_turn)');
  expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('a');
  expect(addedBy(model.requests[1]).at(-1)).toEqual({ role: 'user', text: 'n' });
});

test('[C2] an error is shown, and /continue goes on with the trust that is left; /mode changes the mode', async () => {
  const { chat, model } = await startChat(
    {
      responses: [
        OPEN,
        { error: { status: 503 } },
        { text: 'One.' },
        { text: 'Two.' },
        { text: 'Three.' },
        { text: 'Hi.' },
      ],
    },
    ['--todo-stop-guard'],
  );
  chat.type('Do a.');
  await chat.shows('failed: 503');
  chat.type('/continue');
  await chat.shows(exhausted(1));
  chat.type('/mode plan');
  await chat.shows('the mode is plan now');
  chat.type('/mode turbo');
  await chat.shows('modeId must be one of');
  chat.process.stdin.end();
  expect(await chat.exited).toBe(0);
  expect(model.requests).toHaveLength(5);
});
