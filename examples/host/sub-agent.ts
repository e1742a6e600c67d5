import { callsToRun, Conversation } from './conversation.ts';
import { toMessages } from './history.ts';
import { SUB_AGENT_SYSTEM } from './prompts.ts';
import { runCall } from './run-call.ts';
import type { SessionParts } from './session-parts.ts';
import { checkTokenLimit } from './session-parts.ts';
import { readTodoList } from './tools/todo-write.ts';
import type { ToolContext } from './tools/tool.ts';

/** No task of a sub-agent should take longer; one that does has lost its way. */
const REQUESTS_MAX = 50;

/**
 * Runs a sub-agent to its report. It has its own history, its own Todo list and its own reminder scope (R10); no stop
 * hooks and no guard. Its lists are observed as what they are: a sub-agent's, which never arm (T1, F20).
 *
 * @param context - of the call that delegates.
 * @throws whatever the model throws, and an Error after 50 requests.
 */
export async function runSubAgent(
  parts: SessionParts,
  turn: string,
  prompt: string,
  context: ToolContext,
): Promise<string> {
  const { model, flags, guard } = parts;
  const reminders = parts.reminders.fork();
  const scope = 'sub-agent';
  reminders.startChain(scope);
  const house = {
    surface: parts.surface,
    tools: new Map([...parts.tools].filter(([name]) => name !== 'agent')),
    mode: parts.mode,
  };
  const definitions = [...house.tools.values()].map(({ definition }) => definition);
  const conversation = new Conversation();
  conversation.beginTurn(prompt);

  for (let requests = 0; requests < REQUESTS_MAX; requests += 1) {
    checkTokenLimit(flags, conversation.promptTokens);
    const reminder = conversation.hasToolResults ? reminders.take(scope) : undefined;
    const draft = conversation.draft({ reminder });
    const request = { messages: toMessages(SUB_AGENT_SYSTEM, draft.entries), tools: definitions };
    const stream = await model.open(request, context.signal);
    draft.commit();
    const answer = await stream.read(() => undefined);
    const calls = callsToRun(answer);
    conversation.addAnswer({ text: answer.text, toolCalls: calls });
    conversation.promptTokens = answer.usage?.promptTokens ?? null;
    context.spend(answer.usage);
    if (calls.length === 0) return answer.text;

    for (const call of calls) {
      await runCall(house, call, context, true, ({ shown, result, tool }) => {
        conversation.addToolResult(call.id, result.text);
        if (shown.name !== 'todo_write' || tool?.origin !== 'native') return;
        const { succeeded, structured } = result;
        guard.observeTodoResult({
          turn,
          callId: call.id,
          tool: tool.origin,
          scope: 'sub_agent',
          live: true,
          succeeded,
          result: structured,
        });
        const list = readTodoList(result);
        if (list !== null) reminders.update(scope, list.todos);
      });
    }
  }
  throw new Error(`The sub-agent did not come to an end in ${REQUESTS_MAX} requests.`);
}
