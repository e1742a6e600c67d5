import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { addedBy, todoWrite } from '../session-harness.ts';
import { continued, exhausted, guardPrompt, startAgent } from './agent-harness.ts';

const agent = startAgent(['--todo-stop-guard', '--approval-mode', 'yolo', '--max-same-calls', '4']);
const OPEN = { tool_calls: [todoWrite({ a: 'pending' })] };
const DONE = { tool_calls: [todoWrite({ a: 'completed' })] };
const WRITE = { tool_calls: [{ name: 'write_file', arguments: { file_path: 'a.txt', content: 'a' } }] };
const CANCELLED = { stopReason: 'cancelled' };

describe('cancel', () => {
  test('[H1] [H3] [F31] before a guard stream, while its request waits: nothing is spent, no continue revives the chain, a prompt starts clean', async () => {
    const session = await agent.session({
      responses: [OPEN, { text: 'One.' }, { text: 'Never.', wait_for: 'never' }, { text: 'Hello.' }, OPEN, {}, {}, {}],
    });
    const running = session.prompt('Do a.');
    await session.request(3);
    await session.cancel();
    expect(await running).toMatchObject(CANCELLED);
    expect(session.notices).toEqual([]);
    expect(await session.continue('Go on.')).toMatchObject({ _meta: { reason: 'nothing_unfinished' } });
    await session.prompt('Do a again.');
    expect(session.notices).toEqual([continued(1, 1), continued(2, 1), exhausted(1)]);
  });

  test('[H1] during a guard stream: the attempt stays spent, and the chain is over', async () => {
    const session = await agent.session({
      responses: [OPEN, { text: 'One.' }, { text: 'Two. And more.', pause_for: 'never' }, { text: 'Hello.' }],
    });
    const running = session.prompt('Do a.');
    await session.until(() => session.notices.length === 1);
    await session.cancel();
    expect(await running).toMatchObject(CANCELLED);
    await session.continue('Go on.');
    expect(session.requests).toHaveLength(4);
    expect(session.notices).toEqual([continued(1, 1)]);
  });

  test('[H1] after a guard stream, while its tools run: their results open the next request, and nothing continues', async () => {
    const sleep = { tool_calls: [{ name: 'run_shell_command', arguments: { command: 'sleep 60' } }] };
    const session = await agent.session({ responses: [OPEN, { text: 'One.' }, sleep, { text: 'Hello.' }] });
    const running = session.prompt('Do a.');
    await session.untilTool('run_shell_command');
    await session.cancel();
    expect(await running).toMatchObject(CANCELLED);
    await session.prompt('Hello.');
    expect(addedBy(session.requests[3]).map(({ role }) => role)).toEqual(['tool', 'user']);
    expect(session.notices).toEqual([continued(1, 1)]);
  });

  test('[H1] a prompt and its cancel that arrive together: the cancel finds the prompt', async () => {
    const session = await agent.session({ responses: [{ text: 'Never.', wait_for: 'never' }] });
    const running = session.prompt('Do a.');
    await session.cancel();
    expect(await running).toMatchObject(CANCELLED);
  });

  test('[D3] messages that were drained when the user cancelled open the next request', async () => {
    const session = await agent.session({
      responses: [OPEN, { text: 'Never.', wait_for: 'never' }, { text: 'Hello.' }],
    });
    session.drains.push({ messages: ['Use tabs.'] });
    const running = session.prompt('Do a.');
    await session.request(2);
    await session.cancel();
    expect(await running).toMatchObject(CANCELLED);
    await session.prompt('Hello.');
    expect(addedBy(session.requests[2]).map(({ text }) => text)).toEqual([
      expect.stringContaining('todo_list'),
      'Use tabs.',
      'Hello.',
    ]);
  });
});

describe('errors', () => {
  test('[H2] [B2] [F29] one before a guard stream has opened ends the prompt with an error and spends nothing', async () => {
    const session = await agent.session({
      responses: [OPEN, { text: 'One.' }, { error: { status: 503 } }, { text: 'Two.' }, { text: 'Three.' }, {}],
    });
    await expect(session.prompt('Do a.')).rejects.toMatchObject({ code: -32603 });
    expect(session.notices).toEqual([]);
    await session.continue('Go on.');
    expect(session.notices).toEqual([continued(1, 1), continued(2, 1), exhausted(1)]);
  });

  test('[H2] [B2] one inside a guard stream has spent the attempt; a trusted continue goes on with the rest', async () => {
    const session = await agent.session({
      responses: [OPEN, { text: 'One.' }, { text: 'Two', breaks: true }, { text: 'Three.' }, { text: 'Four.' }],
    });
    await expect(session.prompt('Do a.')).rejects.toMatchObject({ code: -32603 });
    await session.continue('Go on.');
    expect(addedBy(session.requests[4])).toEqual([{ role: 'user', text: guardPrompt(1, true) }]);
    expect(session.notices).toEqual([continued(1, 1), continued(2, 1), exhausted(1)]);
  });

  test('[C2] only the word true makes a continue a trusted one', async () => {
    const session = await agent.session({
      responses: [OPEN, { text: 'One.' }, { error: { status: 503 } }, { text: 'Hello.' }],
    });
    await expect(session.prompt('Do a.')).rejects.toMatchObject({ code: -32603 });
    await session.prompt('Go on.', { 'qwen.daemon.continue': 'true', 'qwen.daemon.retry': 1 });
    expect(session.requests).toHaveLength(4);
    expect(session.notices).toEqual([]);
  });

  test('[R4] a retry takes the reminder over, and an unsent tool result opens it', async () => {
    const session = await agent.session({ responses: [OPEN, { error: { status: 503 } }, DONE, { text: 'Done.' }] });
    await expect(session.prompt('Do a.')).rejects.toMatchObject({ code: -32603 });
    await session.retry('Again.');
    expect(addedBy(session.requests[2])).toEqual([
      { role: 'tool', text: expect.stringContaining('<system-reminder>') as string },
      { role: 'user', text: 'Again.' },
    ]);
  });

  test('[H1] [F30] a context overflow is a token limit: it suspends, and is no error', async () => {
    const overflow = { error: { status: 400, code: 'context_length_exceeded' } };
    const session = await agent.session({ responses: [OPEN, { text: 'One.' }, overflow, { text: 'Hello.' }] });
    expect(await session.prompt('Do a.')).toMatchObject({ stopReason: 'max_tokens' });
    await session.continue('Go on.');
    expect(session.requests).toHaveLength(4);
    expect(session.notices).toEqual([]);
  });

  test('[O0] an answer that was cut off or filtered is no natural stop, and the client is told which', async () => {
    const session = await agent.session({
      responses: [OPEN, { text: 'On', finish_reason: 'length' }, OPEN, { text: '', finish_reason: 'content_filter' }],
    });
    expect(await session.prompt('Do a.')).toMatchObject({ stopReason: 'max_tokens' });
    expect(await session.prompt('Do a.')).toMatchObject({ stopReason: 'refusal' });
    expect(session.notices).toEqual([]);
  });

  test('[H1] loop protection ends the turn, and the guard does not go on', async () => {
    const list = { tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }] };
    const session = await agent.session({ responses: [OPEN, { ...list, times: 4 }] });
    expect(await session.prompt('Do a.')).toMatchObject({ stopReason: 'max_turn_requests' });
    expect(session.notices).toEqual([]);
  });
});

describe('permissions and modes', () => {
  test('[H4] [D4] a permission round trip inside a guard stream: asked of the user, never answered by the guard', async () => {
    const session = await agent.session({ responses: [OPEN, { text: 'One.' }, WRITE, DONE, { text: 'Done.' }] });
    await session.setMode('default');
    session.onPermission = () => Promise.resolve({ outcome: { outcome: 'selected', optionId: 'allow_once' } });
    await session.prompt('Do a.');
    expect(session.permissions).toMatchObject([
      { toolCall: { name: 'write_file', kind: 'edit', rawInput: { file_path: 'a.txt', content: 'a' } } },
    ]);
    expect(session.permissions[0]?.options.map(({ kind }) => kind)).toEqual(['allow_once', 'reject_once']);
    await access(join(session.cwd, 'a.txt'));
    // The list was completed by the last stream of the budget: there is nothing left to report.
    expect(session.notices).toEqual([continued(1, 1), continued(2, 1)]);
  });

  test('[H1] a cancelled permission request suspends the chain', async () => {
    const session = await agent.session({ responses: [OPEN, { text: 'One.' }, WRITE, { text: 'Hello.' }] });
    await session.setMode('default');
    session.onPermission = () => Promise.resolve({ outcome: { outcome: 'cancelled' } });
    expect(await session.prompt('Do a.')).toMatchObject(CANCELLED);
    await session.continue('Go on.');
    expect(session.requests).toHaveLength(4);
    await expect(access(join(session.cwd, 'a.txt'))).rejects.toThrow();
  });

  test.each([
    [
      'an option that nobody offered',
      () => Promise.resolve({ outcome: { outcome: 'selected' as const, optionId: 'yes' } }),
    ],
    ['an error', () => Promise.reject(new Error('The user is not there.'))],
  ])('[D4] %s is no approval', async (_, answer) => {
    const session = await agent.session({ responses: [WRITE, { text: 'I may not.' }] });
    await session.setMode('default');
    session.onPermission = answer;
    expect(await session.prompt('Write.')).toMatchObject({ stopReason: 'end_turn' });
    await session.untilTool('write_file', 'failed');
    await expect(access(join(session.cwd, 'a.txt'))).rejects.toThrow();
  });

  test('[H1] a cancel while a permission is asked for ends the turn, and a late approval changes nothing', async () => {
    const session = await agent.session({ responses: [WRITE] });
    await session.setMode('default');
    let allow: () => void = () => undefined;
    session.onPermission = () =>
      new Promise((resolve) => {
        allow = () => {
          resolve({ outcome: { outcome: 'selected', optionId: 'allow_once' } });
        };
      });
    const running = session.prompt('Write.');
    await session.until(() => session.permissions.length === 1);
    await session.cancel();
    expect(await running).toMatchObject(CANCELLED);
    allow();
    await session.setMode('default');
    await expect(access(join(session.cwd, 'a.txt'))).rejects.toThrow();
  });

  test('[C8] [G2] plan mode entered mid-turn: nothing arms or continues, changes are refused; after it a write arms in the same turn', async () => {
    const session = await agent.session({
      responses: [
        { ...OPEN, pause_for: 'plan' },
        WRITE,
        { text: 'Here is the plan.', tool_calls: [todoWrite({ a: 'pending' })], pause_for: 'approved' },
        { text: 'One.' },
        { text: 'Two.' },
        { text: 'Three.' },
      ],
    });
    const running = session.prompt('Do a.');
    await session.request(1);
    await session.setMode('plan');
    session.release('plan');
    await session.request(3);
    await session.untilTool('write_file', 'failed');
    await session.setMode('yolo');
    session.release('approved');
    await running;
    expect(session.notices).toEqual([continued(1, 1), continued(2, 1), exhausted(1)]);
    await expect(access(join(session.cwd, 'a.txt'))).rejects.toThrow();
  });

  test('[C8] plan mode entered while a guard stream runs ends what the guard would do', async () => {
    const session = await agent.session({
      responses: [OPEN, { text: 'One.' }, { text: 'Two.', pause_for: 'planned' }],
    });
    const running = session.prompt('Do a.');
    await session.until(() => session.notices.length === 1);
    await session.setMode('plan');
    session.release('planned');
    expect(await running).toMatchObject({ stopReason: 'end_turn' });
    expect(session.notices).toEqual([continued(1, 1)]);
  });
});

const limited = startAgent(['--todo-stop-guard', '--approval-mode', 'yolo', '--token-limit', '500']);

test('[H1] [B2] --token-limit refuses a guard send: nothing is spent, and nothing is sent', async () => {
  const session = await limited.session({
    responses: [OPEN, { text: 'One.', usage: { prompt_tokens: 900, completion_tokens: 1 } }],
  });
  expect(await session.prompt('Do a.')).toMatchObject({ stopReason: 'max_tokens' });
  expect(session.requests).toHaveLength(2);
  expect(session.notices).toEqual([]);
});
