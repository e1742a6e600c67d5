import { describe, expect, test } from 'vitest';
import { addedBy, todoWrite } from '../session-harness.ts';
import type { DrainAnswer } from './agent-harness.ts';
import { continued, exhausted, guardPrompt, startAgent } from './agent-harness.ts';

const agent = startAgent(['--todo-stop-guard', '--approval-mode', 'yolo']);
const OPEN = { tool_calls: [todoWrite({ a: 'pending' })] };
const DONE = { tool_calls: [todoWrite({ a: 'completed' })] };
const LIST = { tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }] };
const NOTHING: DrainAnswer = { messages: [] };

/** An answer that a test gives when it wants to. */
function later(): { readonly answer: () => Promise<DrainAnswer>; readonly give: (answer: DrainAnswer) => void } {
  let give: (answer: DrainAnswer) => void = () => undefined;
  const promise = new Promise<DrainAnswer>((resolve) => {
    give = resolve;
  });
  return { answer: () => promise, give };
}

describe('messages', () => {
  test('[R2] [F27] one that waits at a tool boundary goes with the tool results, as the newest words', async () => {
    const session = await agent.session({ responses: [OPEN, LIST, DONE, { text: 'Done.' }] });
    session.drains.push(NOTHING, { messages: ['Use tabs.', 'And semicolons.'] });
    await session.prompt('Do a.');
    expect(addedBy(session.requests[2]).map(({ role }) => role)).toEqual(['tool', 'user', 'user']);
    expect(
      addedBy(session.requests[2])
        .slice(1)
        .map(({ text }) => text),
    ).toEqual(['Use tabs.', 'And semicolons.']);
    expect(addedBy(session.requests[2])[0]?.text).toContain('<system-reminder>');
  });

  test('[O1] [C3] [F28] one at the stop where the budget is spent gets its send and a fresh stage', async () => {
    const session = await agent.session({
      responses: [
        OPEN,
        { text: 'One.' },
        { text: 'Two.' },
        { text: 'Three.' },
        { text: 'Four.' },
        { text: 'Five.' },
        {},
      ],
    });
    // Three looks for each of two guard streams, one after the tools.
    session.drains.push(...Array.from({ length: 7 }, () => NOTHING), { messages: ['Please go on.'] });
    await session.prompt('Do a.');
    expect(addedBy(session.requests[4])).toEqual([{ role: 'user', text: 'Please go on.' }]);
    expect(session.notices).toEqual([continued(1, 1), continued(2, 1), continued(1, 1), continued(2, 1), exhausted(1)]);
  });

  test('[O6] [B2] [F25] one between the decision and the send supersedes the guard: nothing is spent or said', async () => {
    const session = await agent.session({ responses: [OPEN, { text: 'One.' }, { text: 'Two.' }, DONE, {}] });
    session.drains.push(NOTHING, NOTHING, NOTHING, { messages: ['Wait.'] });
    await session.prompt('Do a.');
    expect(addedBy(session.requests[2])).toEqual([{ role: 'user', text: 'Wait.' }]);
    expect(session.notices).toEqual([continued(1, 1), continued(2, 0)]);
  });

  test('[B6] [C3] [F28] one at the results of the last guard stream sponsors their send and spends nothing', async () => {
    const session = await agent.session({
      responses: [OPEN, { text: 'One.' }, { text: 'Two.' }, LIST, { text: 'I see.' }, DONE, { text: 'Done.' }],
    });
    session.drains.push(...Array.from({ length: 7 }, () => NOTHING), { messages: ['What do you see?'] });
    await session.prompt('Do a.');
    expect(addedBy(session.requests[4]).map(({ role }) => role)).toEqual(['tool', 'user']);
    expect(addedBy(session.requests[4]).at(-1)?.text).toBe('What do you see?');
    expect(session.notices).toEqual([continued(1, 1), continued(2, 1), continued(1, 1), continued(2, 0)]);
  });

  test('[F27] one that is typed while a permission is asked for answers nothing, and is sent with the results', async () => {
    const write = { tool_calls: [{ name: 'write_file', arguments: { file_path: 'a', content: 'a' } }] };
    const session = await agent.session({ responses: [write, { text: 'I may not.' }] });
    await session.setMode('default');
    session.onPermission = () => {
      session.drains.push({ messages: ['allow_once'] });
      return Promise.resolve({ outcome: { outcome: 'selected', optionId: 'reject_once' } });
    };
    await session.prompt('Write a.');
    expect(addedBy(session.requests[1])).toEqual([
      { role: 'tool', text: 'Error: the user did not allow write_file.' },
      { role: 'user', text: 'allow_once' },
    ]);
  });
});

describe('queued prompts', () => {
  test('[O2] [F21] one alone ends the request before the guard; it then starts a chain of its own', async () => {
    const session = await agent.session({ responses: [OPEN, { text: 'One.' }, { text: 'Hello.' }] });
    session.drains.push(NOTHING, { messages: [], hasQueuedPrompt: true });
    expect(await session.prompt('Do a.')).toMatchObject({ stopReason: 'end_turn', _meta: { reason: 'queued_prompt' } });
    expect(session.requests).toHaveLength(2);
    await session.prompt('Never mind, hello.');
    expect(session.requests).toHaveLength(3);
    expect(session.notices).toEqual([]);
  });

  test('[O2] one together with a message: the message runs first, and the prompt keeps its priority', async () => {
    const session = await agent.session({ responses: [OPEN, { text: 'One.' }, { text: 'Two.' }, { text: 'Hello.' }] });
    session.drains.push(NOTHING, { messages: ['First this.'], hasQueuedPrompt: true });
    expect(await session.prompt('Do a.')).toMatchObject({ _meta: { reason: 'queued_prompt' } });
    expect(addedBy(session.requests[2])).toEqual([{ role: 'user', text: 'First this.' }]);
    expect(session.requests).toHaveLength(3);
    await session.prompt('Hello.');
    expect(session.notices).toEqual([]);
  });

  test('[O2] [Q2] the last one is dropped: the chain that waited ends, and what was held back runs', async () => {
    // The second command ends once the first one has been reaped: its notification is queued by then.
    const begin = { name: 'run_shell_command', arguments: { command: 'echo $$ > pid', is_background: true } };
    const wait = {
      name: 'run_shell_command',
      arguments: { command: 'until [ -s pid ]; do :; done; while kill -0 $(cat pid) 2>/dev/null; do sleep 0.02; done' },
    };
    const session = await agent.session({
      responses: [
        { tool_calls: [todoWrite({ a: 'pending' }), begin, wait] },
        { text: 'One.' },
        { text: 'It has ended.' },
        { text: 'Going on.' },
      ],
    });
    session.drains.push(NOTHING, { messages: [], hasQueuedPrompt: true });
    expect(await session.prompt('Do a.')).toMatchObject({ _meta: { reason: 'queued_prompt' } });
    expect(session.requests).toHaveLength(2);
    expect(await session.call('craft/queuedPromptDropped')).toEqual({});
    await session.until(() => session.automaticTurnsEnded === 1);
    expect(addedBy(session.requests[2])[0]?.text).toMatch(/^<task-notification>/);
    // Nothing revives the chain: a continue starts an unarmed one.
    await session.continue('Go on.');
    expect(session.requests).toHaveLength(4);
    expect(session.notices).toEqual([]);
  });

  test('[O2] it is dropped while the turn still runs: the turn goes on without the guard', async () => {
    const session = await agent.session({
      responses: [OPEN, { text: 'One.' }, { text: 'Two.', pause_for: 'dropped' }, { text: 'Hello.' }],
    });
    session.drains.push(NOTHING, { messages: ['First this.'], hasQueuedPrompt: true });
    const running = session.prompt('Do a.');
    await session.request(3);
    await session.call('craft/queuedPromptDropped');
    session.release('dropped');
    expect(await running).toMatchObject({ stopReason: 'end_turn' });
    expect(session.requests).toHaveLength(3);
    expect(session.notices).toEqual([]);
  });
});

describe('drains', () => {
  test('[D1] hasQueuedPrompt may be left out or null, and means that none waits', async () => {
    const session = await agent.session({ responses: [OPEN, { text: 'One.' }, DONE, { text: 'Done.' }] });
    session.drains.push({ messages: [] }, { messages: [], hasQueuedPrompt: null });
    await session.prompt('Do a.');
    expect(session.notices).toEqual([continued(1, 1), continued(2, 0)]);
  });

  test('the client is told which prompt drains: by its own id for it, or by one that the agent makes', async () => {
    const session = await agent.session({ responses: [LIST, { text: 'Done.' }, LIST, { text: 'Done.' }] });
    await session.prompt('Look.', { 'qwen.daemon.promptId': 'prompt-of-mine' });
    await session.prompt('Look again.');
    expect(session.drainedPrompts[0]).toBe('prompt-of-mine');
    expect(session.drainedPrompts).toHaveLength(2);
    expect(session.drainedPrompts[1]).not.toBe('');
    expect(session.drainedPrompts[1]).not.toBe('prompt-of-mine');
  });

  test('[D3] [O8] [F27] [F29] one that answers late gives its messages to the next, once and in order, without its snapshot', async () => {
    const slow = later();
    const session = await agent.session({
      responses: [OPEN, { text: 'One.' }, LIST, OPEN, { text: 'Two.' }, DONE, { text: 'Done.' }],
    });
    session.drains.push(NOTHING, slow.answer);
    // The look fails: the guard sits this stop out, and the turn ends.
    expect(await session.prompt('Do a.')).toMatchObject({ _meta: { reason: 'look_failed' } });
    expect(session.notices).toEqual([]);
    slow.give({ messages: ['Late one.', 'Late two.'], hasQueuedPrompt: true });
    session.drains.push({ messages: ['In time.'] });
    await session.prompt('Look.');
    expect(addedBy(session.requests[3]).map(({ text }) => text)).toEqual([
      expect.stringContaining('(empty)'),
      'Late one.',
      'Late two.',
      'In time.',
    ]);
    expect(JSON.stringify(session.requests.at(-1)).match(/Late one\./g)).toHaveLength(1);
    expect(session.notices).toEqual([continued(1, 1), continued(2, 0)]);
  });

  test('[D3] [H1] one that a cancel interrupts gives its messages to the next, however many turns drain nothing', async () => {
    const slow = later();
    const session = await agent.session({ responses: [LIST, { text: 'Plain.' }, LIST, { text: 'Done.' }] });
    session.drains.push(slow.answer);
    const running = session.prompt('Look.');
    await session.until(() => session.drainedPrompts.length === 1);
    await session.cancel();
    expect(await running).toMatchObject({ stopReason: 'cancelled' });
    slow.give({ messages: ['Said before.'] });
    await session.prompt('Say something.');
    expect(JSON.stringify(session.requests)).not.toContain('Said before.');
    await session.prompt('Look again.');
    expect(addedBy(session.requests.at(-1)).map(({ text }) => text)).toEqual([
      expect.stringContaining('(empty)'),
      'Said before.',
    ]);
  });

  test('[D3] a late answer for a session that was closed reaches no other session', async () => {
    const slow = later();
    const closed = await agent.session({ responses: [LIST, { text: 'Never.' }] });
    closed.drains.push(slow.answer);
    const running = closed.prompt('Look.');
    await closed.until(() => closed.drainedPrompts.length === 1);
    await closed.call('session/close');
    expect(await running).toMatchObject({ stopReason: 'cancelled' });
    slow.give({ messages: ['Lost.'] });
    const other = await agent.session({ responses: [LIST, { text: 'Done.' }] });
    await other.prompt('Look.');
    expect(JSON.stringify(other.requests)).not.toContain('Lost.');
  });

  test('[O8] one that answers nonsense is a look that failed, and what could be read of it is kept', async () => {
    const session = await agent.session({ responses: [OPEN, { text: 'One.' }, LIST, { text: 'Done.' }] });
    session.drains.push(NOTHING, { messages: ['Keep me.'], hasQueuedPrompt: 'maybe' });
    expect(await session.prompt('Do a.')).toMatchObject({ _meta: { reason: 'look_failed' } });
    await session.prompt('And now?');
    expect(addedBy(session.requests[2]).map(({ text }) => text)).toEqual(['Keep me.', 'And now?']);
  });
});

const withoutQueue = startAgent(['--todo-stop-guard', '--approval-mode', 'yolo'], { drains: false });

test('[D1] a client without the method has no queue: the guard works as ever', async () => {
  const session = await withoutQueue.session({
    responses: [OPEN, { text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }],
  });
  expect(await session.prompt('Do a.')).toMatchObject({ _meta: { reason: 'exhausted' } });
  expect(addedBy(session.requests[2])).toEqual([{ role: 'user', text: guardPrompt(1) }]);
  expect(session.notices).toEqual([continued(1, 1), continued(2, 1), exhausted(1)]);
});
