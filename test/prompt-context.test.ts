import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { PromptContext } from '../src/prompt-context.ts';
import { ActiveTodoReminderStore } from '../src/reminder/store.ts';

test('[R3] concurrent prompts find their own id across awaits', async () => {
  const context = new PromptContext();
  const store = new ActiveTodoReminderStore();
  store.startChain('user');
  store.startAutomaticChain('cron');
  const runTool = async (content: string): Promise<void> => {
    await setImmediate();
    store.update(context.promptId ?? 'none', [{ id: '1', content, status: 'pending' }]);
    await setImmediate();
  };
  await Promise.all([
    context.run('user', () => runTool('of the user')),
    context.run('cron', () => runTool('of the cron turn')),
  ]);
  expect(store.take('user')).toContain('- [pending] of the user\n');
  expect(store.take('cron')).toContain('- [pending] of the cron turn\n');
});

describe('[R3] the id ends with its run', () => {
  test('outside there is none, and inside the innermost one', () => {
    const context = new PromptContext();
    expect(context.promptId).toBeUndefined();
    const seen = context.run('outer', () => [context.run('inner', () => context.promptId), context.promptId]);
    expect(seen).toEqual(['inner', 'outer']);
    expect(context.promptId).toBeUndefined();
  });

  test('on its error path too', () => {
    const context = new PromptContext();
    const failure = new Error('tool failed');
    expect(() =>
      context.run('prompt', () => {
        throw failure;
      }),
    ).toThrow(failure);
    expect(context.promptId).toBeUndefined();
  });

  test('enterWith, which would outlive it, is not used', () => {
    expect(readFileSync(new URL('../src/prompt-context.ts', import.meta.url), 'utf8')).not.toContain('enterWith');
  });
});

test('[R10] [F35] two contexts know nothing of each other', () => {
  const context = new PromptContext();
  const other = new PromptContext();
  expect(context.run('prompt', () => other.promptId)).toBeUndefined();
});

test.each(['', undefined, 7])('[T6] [F36] %j is no prompt id', (id) => {
  const context = new PromptContext();
  let ran = false;
  expect(() => {
    Reflect.apply(context.run.bind(context), undefined, [id, () => (ran = true)]);
  }).toThrow(new TypeError('promptId must be a string that is not empty: pass the id of a prompt.'));
  expect(ran).toBe(false);
});
