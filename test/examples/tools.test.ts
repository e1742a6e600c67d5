import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { BackgroundRegistry } from '../../examples/host/background.ts';
import { listDirectory, readTextFile, writeTextFile } from '../../examples/host/tools/files.ts';
import { scheduleWakeup } from '../../examples/host/tools/schedule-wakeup.ts';
import { monitor, runShellCommand } from '../../examples/host/tools/shell.ts';
import { todoWrite } from '../../examples/host/tools/todo-write.ts';
import type { ToolContext } from '../../examples/host/tools/tool.ts';

let root: string;
let cwd: string;
let context: ToolContext;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tools-'));
  cwd = join(root, 'work');
  await mkdir(cwd);
  const background = new BackgroundRegistry({ due: () => undefined, changed: () => undefined });
  context = { cwd, background, signal: new AbortController().signal, spend: () => undefined };
  return async () => {
    background.close();
    await rm(root, { recursive: true });
  };
});

describe('todo_write', () => {
  const item = { id: '1', content: 'x', status: 'pending' };

  test('[T2] the result is the structured envelope', async () => {
    expect(await todoWrite.run({ todos: [item] }, context)).toMatchObject({
      succeeded: true,
      structured: { type: 'todo_list', todos: [item] },
    });
    expect(await todoWrite.run({ todos: [] }, context)).toMatchObject({ succeeded: true });
  });

  test.each([
    ['a numeric id', { todos: [{ ...item, id: 1 }] }],
    ['no id', { todos: [{ content: 'x', status: 'pending' }] }],
    ['a foreign status', { todos: [{ ...item, status: 'done' }] }],
    ['cancelled', { todos: [{ ...item, status: 'cancelled' }] }],
    ['a title for the content', { todos: [{ id: '1', title: 'x', status: 'pending' }] }],
    ['an extra key', { todos: [{ ...item, note: 'x' }] }],
    ['an extra argument', { todos: [item], merge: true }],
    ['blank content', { todos: [{ ...item, content: ' \n' }] }],
    ['invisible content', { todos: [{ ...item, content: '\u200b \u00ad' }] }],
    ['an id twice', { todos: [item, { ...item, content: 'y' }] }],
    ['no list', {}],
    ['a JSON string', JSON.stringify({ todos: [item] })],
    ['null', null],
  ])('[F47] %s is an error result', async (_, args) => {
    const result = await todoWrite.run(args, context);
    expect(result).toMatchObject({ succeeded: false });
    expect(result.structured).toBeUndefined();
  });
});

describe('paths stay inside the working directory', () => {
  beforeEach(async () => {
    await writeFile(join(root, 'secret.txt'), 'secret');
    await symlink(root, join(cwd, 'out'));
    await symlink(join(root, 'secret.txt'), join(cwd, 'link.txt'));
    await symlink(join(root, 'new.txt'), join(cwd, 'dangling.txt'));
    await mkdir(join(root, 'work-2'));
  });

  test.each([
    '../secret.txt',
    'sub/../../secret.txt',
    'out/secret.txt',
    'link.txt',
    'dangling.txt',
    'out/new.txt',
    '../work-2/x.txt',
    '/etc/hosts',
  ])('%s is refused', async (path) => {
    const read = await readTextFile.run({ file_path: path }, context);
    expect(read.succeeded).toBe(false);
    const write = await writeTextFile.run({ file_path: path, content: 'x' }, context);
    expect(write.succeeded).toBe(false);
    expect(await readFile(join(root, 'secret.txt'), 'utf8')).toBe('secret');
    await expect(readFile(join(root, 'new.txt'))).rejects.toThrow();
  });

  test('relative and absolute paths inside are welcome, new directories too', async () => {
    await writeTextFile.run({ file_path: 'a/b/..c.txt', content: 'c' }, context);
    expect(await readTextFile.run({ file_path: join(cwd, 'a/b/..c.txt') }, context)).toEqual({
      succeeded: true,
      text: 'c',
    });
    expect(await listDirectory.run({ path: '.' }, context)).toMatchObject({
      text: 'a/\ndangling.txt\nlink.txt\nout',
    });
    expect((await listDirectory.run({ path: 'out' }, context)).succeeded).toBe(false);
  });

  test('a pipe, which might never answer, is refused', async () => {
    await runShellCommand.run({ command: 'mkfifo pipe' }, context);
    expect((await readTextFile.run({ file_path: 'pipe' }, context)).text).toContain('not a regular file');
    expect((await writeTextFile.run({ file_path: 'pipe', content: 'x' }, context)).text).toContain(
      'not a regular file',
    );
  });
});

describe('commands', () => {
  test('a foreground command gives its output and its exit code; the model key is kept from it', async () => {
    process.env['OPENAI_API_KEY'] = 'secret';
    onTestFinished(() => {
      delete process.env['OPENAI_API_KEY'];
    });
    const result = await runShellCommand.run(
      { command: 'echo out; echo err >&2; echo "$OPENAI_API_KEY"; exit 3' },
      context,
    );
    expect(result.succeeded).toBe(false);
    expect(result.text).toContain('[exit code 3]');
    expect(result.text).not.toContain('secret');
  });

  test('a foreground command that leaves a process behind ends with it', async () => {
    // The leftover holds the pipes open: unless it is killed, this waits for it.
    const result = await runShellCommand.run({ command: '(sleep 600; touch late) & echo on' }, context);
    expect(result.text).toBe('on\n[exit code 0]');
  });

  test('what has left the process group is not waited for', async () => {
    const daemon = "require('node:child_process').spawn('sleep', ['20'], { detached: true, stdio: 'inherit' }).unref()";
    const command = `${JSON.stringify(process.execPath)} -e ${JSON.stringify(daemon)}; echo on`;
    const ended = new Promise<string>((resolve) => {
      const background = new BackgroundRegistry({
        due: ({ text }) => {
          if (text.includes('exit code 0')) resolve(text);
        },
        changed: () => undefined,
      });
      void monitor.run({ command }, { ...context, background });
    });
    const result = await runShellCommand.run({ command: `(${command})` }, context);
    expect(result.text).toBe('on\n[exit code 0]');
    expect(await ended).toContain('monitor-1');
  }, 15_000);

  test('an abort kills the whole group', async () => {
    const abort = new AbortController();
    const running = runShellCommand.run({ command: 'sleep 60; echo never' }, { ...context, signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
  });

  test('[K2] a background command gives its id at once, and ends with one notification', async () => {
    const due: ((text: string) => void)[] = [];
    const ended = new Promise<string>((resolve) => due.push(resolve));
    const background = new BackgroundRegistry({
      due: ({ text }) => due.pop()?.(text),
      changed: () => undefined,
    });
    const result = await runShellCommand.run({ command: 'echo hi', is_background: true }, { ...context, background });
    expect(result).toMatchObject({ succeeded: true, structured: { kind: 'shell', id: 'shell-1' } });
    expect(background.tasks).toEqual([{ kind: 'shell', id: 'shell-1', state: 'running' }]);
    expect(await ended).toMatch(/^<task-notification>[^]*hi/);
    expect(background.tasks).toEqual([]);
  });

  test('closing kills what runs, and says nothing of it', async () => {
    const said: string[] = [];
    const background = new BackgroundRegistry({ due: ({ text }) => said.push(text), changed: () => undefined });
    const here = { ...context, background };
    await runShellCommand.run({ command: 'echo $$ > pid; sleep 60', is_background: true }, here);
    await monitor.run({ command: 'sleep 60' }, here);
    await scheduleWakeup.run({ delay_seconds: 0.01, prompt: 'x' }, here);
    background.close();
    expect(background.tasks).toEqual([]);
    expect((await runShellCommand.run({ command: 'true', is_background: true }, here)).succeeded).toBe(false);
    expect(said).toEqual([]);
  });
});
