import { compactReplay, isGuardNotice } from 'todo-stop-guard/acp';
import { expect, test } from 'vitest';
import { textOf } from '../../../examples/scripted-model/request.ts';
import { addedBy, todoWrite } from '../session-harness.ts';
import { continued, exhausted, guardPrompt, startAgent } from './agent-harness.ts';

const agent = startAgent(['--todo-stop-guard', '--approval-mode', 'yolo']);
const compacting = startAgent(['--todo-stop-guard', '--approval-mode', 'yolo', '--compact-at', '500']);
const TWO_OPEN = { tool_calls: [todoWrite({ a: 'in_progress', b: 'pending' })] };
const DONE = { tool_calls: [todoWrite({ a: 'completed', b: 'completed' })] };
const LIST = { tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }] };

test('[B1] [B8] [N1] [N2] [N3] [N4] [F22] [F32] two guard streams, each announced, then one notice and the end', async () => {
  const session = await agent.session({
    responses: [TWO_OPEN, { text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }],
  });
  const response = await session.prompt('Do a and b.');
  expect(response.stopReason).toBe('end_turn');
  expect(session.requests).toHaveLength(4);
  expect(addedBy(session.requests[2])).toEqual([{ role: 'user', text: guardPrompt(2) }]);
  expect(addedBy(session.requests[3])).toEqual([{ role: 'user', text: guardPrompt(2, true) }]);
  expect(session.notices).toEqual([continued(1, 2), continued(2, 2), exhausted(2)]);
  expect(
    session.updates.filter(({ _meta }) => _meta?.['source'] === 'todo_stop_guard').map(({ _meta }) => _meta),
  ).toEqual(
    [1, 2, 2].map((attempt) => ({
      source: 'todo_stop_guard',
      qwenDiscreteMessage: true,
      attempt,
      maxAttempts: 2,
      unfinishedCount: 2,
    })),
  );
  expect(session.said).toBe('One.Two.Three.');
});

test('[N7] compacted for a replay, the words of a stream become one event and every notice stays what it was', async () => {
  const session = await agent.session({
    responses: [TWO_OPEN, { text: 'The first stop.' }, { text: 'The second stop.' }, { text: 'The third stop.' }],
  });
  await session.prompt('Do a and b.');
  const compacted = compactReplay(session.updates.map((update, id) => ({ id, update })));
  const texts = compacted.flatMap(({ update }) =>
    update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text' ? [update.content.text] : [],
  );
  expect(texts).toEqual([
    'The first stop.',
    continued(1, 2),
    'The second stop.',
    continued(2, 2),
    'The third stop.',
    exhausted(2),
  ]);
  expect(compacted.filter(({ update }) => isGuardNotice(update))).toHaveLength(3);
});

test('[N8] the usage of a prompt counts the guard streams like any other', async () => {
  const usage = { prompt_tokens: 100, completion_tokens: 10 };
  const session = await agent.session({
    responses: [
      { ...TWO_OPEN, usage },
      { text: 'One.', usage },
      { text: 'Two.', usage },
      { text: 'Three.', usage },
    ],
  });
  const response = await session.prompt('Do a and b.');
  expect(response._meta?.['usage']).toEqual({ inputTokens: 400, outputTokens: 40, totalTokens: 440 });
});

test('[B5] [T3] the list is completed by tools: the closing send carries their results and no guard prompt', async () => {
  const session = await agent.session({ responses: [TWO_OPEN, { text: 'One.' }, DONE, { text: 'All done.' }] });
  expect(await session.prompt('Do a and b.')).toMatchObject({ stopReason: 'end_turn' });
  expect(addedBy(session.requests[3]).map(({ role }) => role)).toEqual(['tool']);
  expect(session.notices).toEqual([continued(1, 2), continued(2, 0)]);
  const plans = session.updates.flatMap((update) => (update.sessionUpdate === 'plan' ? [update.entries] : []));
  expect(plans.map((entries) => entries.map(({ content, status }) => `${content} ${status}`))).toEqual([
    ['do a in_progress', 'do b pending'],
    ['do a completed', 'do b completed'],
  ]);
});

test('[B3] [B4] tool calls in the second stream run, and their results open the next prompt', async () => {
  const session = await agent.session({ responses: [TWO_OPEN, { text: 'One.' }, LIST, LIST, { text: 'Hello.' }] });
  expect(await session.prompt('Do a and b.')).toMatchObject({ stopReason: 'end_turn' });
  expect(session.requests).toHaveLength(4);
  expect(addedBy(session.requests[3]).map(({ role }) => role)).toEqual(['tool', 'user']);
  expect(addedBy(session.requests[3]).at(-1)?.text).toBe(guardPrompt(2, true));
  expect(session.notices).toEqual([continued(1, 2), continued(2, 2), exhausted(2)]);
  await session.prompt('And now?');
  expect(addedBy(session.requests[4])).toEqual([
    { role: 'tool', text: '(empty)' },
    { role: 'user', text: 'And now?' },
  ]);
});

test('[T1] [F48] a failed todo_write arms nothing, whatever its arguments say', async () => {
  const todos = [
    { id: '1', content: 'do a', status: 'pending' },
    { id: '1', content: 'do b', status: 'pending' },
  ];
  const session = await agent.session({
    responses: [{ tool_calls: [{ name: 'todo_write', arguments: { todos } }] }, { text: 'Done.' }],
  });
  expect(await session.prompt('Do it.')).toMatchObject({ stopReason: 'end_turn' });
  expect(session.requests).toHaveLength(2);
  expect(session.updates.map(({ sessionUpdate }) => sessionUpdate)).not.toContain('plan');
  await session.untilTool('todo_write', 'failed');
});

test('[T3] [F49] of two lists in one response the last one counts', async () => {
  const both = { tool_calls: [todoWrite({ a: 'pending', b: 'pending', c: 'pending' }), todoWrite({ a: 'pending' })] };
  const session = await agent.session({ responses: [both, { text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }] });
  await session.prompt('Do it.');
  expect(session.notices).toEqual([continued(1, 1), continued(2, 1), exhausted(1)]);
});

test('[T1] a call id that was answered before is a duplicate and arms nothing', async () => {
  const first = { ...todoWrite({ a: 'completed' }), id: 'same' };
  const second = { ...todoWrite({ a: 'pending' }), id: 'same' };
  const session = await agent.session({
    responses: [{ tool_calls: [first] }, { tool_calls: [second] }, { text: 'Done.' }],
  });
  await session.prompt('Do it.');
  expect(session.requests).toHaveLength(3);
  expect(session.notices).toEqual([]);
});

test('[R1] [R2] [R12] the reminder follows the tool results of each request of its prompt, and the prompt only', async () => {
  const session = await agent.session({
    responses: [TWO_OPEN, LIST, { text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }, LIST, { text: 'Hello.' }],
  });
  await session.prompt('Do a and b.');
  const reminded = session.requests.map(({ messages }) => textOf(messages.at(-1)).includes('<system-reminder>'));
  expect(reminded).toEqual([false, true, true, false, false]);
  await session.prompt('Something else.');
  expect(textOf(session.requests[6]?.messages.at(-1))).toBe('(empty)');
});

test('[C1] [F36] two sessions with the same call ids and turn ids know nothing of each other', async () => {
  const write = { tool_calls: [{ ...todoWrite({ a: 'pending' }), id: 'null' }] };
  const armed = await agent.session({ responses: [write, { text: 'One.', wait_for: 'other' }, { text: 'Two.' }, {}] });
  const other = await agent.session({ responses: [{ text: 'Nothing to do.' }] });
  const running = armed.prompt('Do a.');
  await armed.request(2);
  await other.prompt('Hello.');
  expect(other.notices).toEqual([]);
  await expect(armed.call('craft/rewind', { sessionId: '', turns: 1 })).rejects.toMatchObject({ code: -32002 });
  await expect(armed.call('craft/rewind', { sessionId: 'null', turns: 1 })).rejects.toMatchObject({ code: -32002 });
  armed.release('other');
  await running;
  expect(armed.notices).toEqual([continued(1, 1), continued(2, 1), exhausted(1)]);
});

test('[N6] [F45] a summary is made without the guard prompts', async () => {
  const session = await compacting.session((tag) => ({
    responses: [TWO_OPEN, { text: 'One.' }, { text: 'Two.', usage: { prompt_tokens: 900, completion_tokens: 1 } }, {}],
    conversations: [{ when: { system: 'You write a summary' }, responses: [{ text: `a and b are open ${tag}` }] }],
  }));
  await session.prompt('Do a and b.');
  const summary = session.requests.find(({ messages }) => textOf(messages[0]).includes('You write a summary'));
  expect(textOf(summary?.messages[1])).toContain('Two.');
  expect(JSON.stringify(summary)).not.toContain('[Todo Stop Guard]');
  expect(session.notices).toEqual([continued(1, 2), continued(2, 2), exhausted(2)]);
});
