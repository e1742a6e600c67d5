import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { textOf } from '../../../examples/scripted-model/request.ts';
import { todoWrite } from '../session-harness.ts';
import type { AgentHarness, TestSession } from './agent-harness.ts';
import { startAgent } from './agent-harness.ts';

const COMMON = ['--approval-mode', 'yolo', '--stop-hook', 'exec sh ./stop-hook'];
const OPEN = { tool_calls: [todoWrite({ a: 'pending' })] };
const LIST = { tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }] };
const BUILD = {
  tool_calls: [
    todoWrite({ a: 'pending' }),
    { name: 'run_shell_command', arguments: { command: 'until [ -e go ]; do sleep 0.02; done', is_background: true } },
  ],
};
const BLOCK_ONCE = `[ -e blocked ] || { touch blocked; echo '{"decision":"block","reason":"Run the tests."}'; }`;

/** What a model was sent and a client was shown, as short lines that hold no ids. */
function transcript(session: TestSession): { readonly model: readonly string[][]; readonly client: readonly string[] } {
  const model = session.requests.map(({ messages }) => {
    const since = messages.findLastIndex(({ role }) => role === 'assistant' || role === 'system');
    return messages.slice(since + 1).map((message) => {
      const text = textOf(message).replace(session.tag, '').trim();
      const reminded = text.includes('<system-reminder>') ? ' and the reminder' : '';
      const shown = text.startsWith('<task-notification>') ? 'a notification' : text;
      return message.role === 'tool' ? `a result${reminded}` : shown;
    });
  });
  const client = session.updates.flatMap((update) => {
    if (update.sessionUpdate === 'tool_call') return [`calls ${update.name ?? ''}`];
    if (update.sessionUpdate === 'tool_call_update') return [update.status ?? ''];
    if (update.sessionUpdate === 'agent_message_chunk')
      return [update.content.type === 'text' ? update.content.text : ''];
    return [update.sessionUpdate];
  });
  return { model, client };
}

/** The conversations that the guard would change, each with what happens without it, written down by hand. */
const CONVERSATIONS: readonly {
  readonly name: string;
  readonly play: (agent: AgentHarness) => Promise<TestSession>;
  readonly model: readonly (readonly string[])[];
  readonly client: readonly string[];
}[] = [
  {
    name: 'a stop with items open',
    play: async (agent) => {
      const session = await agent.session({ responses: [OPEN, LIST, { text: 'Done?' }] });
      await session.prompt('Do a.');
      return session;
    },
    model: [['Do a.'], ['a result and the reminder'], ['a result and the reminder']],
    client: ['calls todo_write', 'plan', 'completed', 'calls list_directory', 'completed', 'Done?'],
  },
  {
    name: 'a stop hook that blocks once',
    play: async (agent) => {
      const session = await agent.session(
        { responses: [OPEN, { text: 'Done?' }, { text: 'Tested.' }] },
        { files: { 'stop-hook': BLOCK_ONCE } },
      );
      await session.prompt('Do a.');
      return session;
    },
    model: [['Do a.'], ['a result and the reminder'], ['Run the tests.']],
    client: ['calls todo_write', 'plan', 'completed', 'Done?', 'Tested.'],
  },
  {
    name: 'a message at a tool boundary, and one that waits at the stop',
    play: async (agent) => {
      const session = await agent.session({ responses: [OPEN, { text: 'Done?' }] });
      session.drains.push({ messages: ['Use tabs.'] }, { messages: ['Nobody asks for this.'], hasQueuedPrompt: true });
      await session.prompt('Do a.');
      return session;
    },
    model: [['Do a.'], ['a result and the reminder', 'Use tabs.']],
    client: ['calls todo_write', 'plan', 'completed', 'Done?'],
  },
  {
    name: 'background work that ends after the turn, and a trusted continue',
    play: async (agent) => {
      const session = await agent.session({
        responses: [BUILD, { text: 'Building.' }, { text: 'Built.' }, LIST, { text: 'On.' }],
      });
      await session.prompt('Build a.');
      await writeFile(join(session.cwd, 'go'), '');
      await session.until(() => session.automaticTurnsEnded === 1);
      await session.continue('Go on.');
      return session;
    },
    model: [
      ['Build a.'],
      ['a result', 'a result and the reminder'],
      ['a notification'],
      ['Go on.'],
      ['a result and the reminder'],
    ],
    client: [
      'calls todo_write',
      'plan',
      'completed',
      'calls run_shell_command',
      'completed',
      'Building.',
      'user_message_chunk',
      'Built.',
      'session_info_update',
      'calls list_directory',
      'completed',
      'On.',
    ],
  },
  {
    name: 'an error, and a rewind',
    play: async (agent) => {
      const session = await agent.session({ responses: [OPEN, { error: { status: 503 } }, { text: 'Hello.' }] });
      await expect(session.prompt('Do a.')).rejects.toMatchObject({ code: -32603 });
      await session.call('craft/rewind', { turns: 1 });
      await session.prompt(`Hello. ${session.tag}`);
      return session;
    },
    model: [['Do a.'], ['a result and the reminder'], ['Hello.']],
    client: ['calls todo_write', 'plan', 'completed', 'Hello.'],
  },
];

describe.each([
  ['the setting off', []],
  ['bare mode', ['--todo-stop-guard', '--bare']],
  ['safe mode', ['--todo-stop-guard', '--safe-mode']],
])('[G1] [G2] [G3] with %s', (_, flags) => {
  const agent = startAgent([...COMMON, ...flags]);

  test.each(CONVERSATIONS)('$name runs as without the library', async ({ play, model, client }) => {
    expect(transcript(await play(agent))).toEqual({ model, client });
  });
});
