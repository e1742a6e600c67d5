/**
 * What a session shows, as the `update` of a `session/update`.
 *
 * @module
 */
import type { SessionUpdate, ToolCall, ToolKind } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import type { ShownCall, StartedTurn } from '../host/surface.ts';
import type { Todo } from '../host/tools/todo-write.ts';
import type { ToolResult } from '../host/tools/tool.ts';
import type { TurnResult } from '../host/turn.ts';
import { headOf } from '../host/cut-text.ts';
import { stopReasonOf, usageOf } from './stop-reason.ts';

/** Words of the model. */
export function textUpdate(text: string): SessionUpdate {
  return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } };
}

/** Words of the host itself, which must not run into the model's. */
export function hostMessageUpdate(text: string): SessionUpdate {
  return { ...textUpdate(text), _meta: { source: 'host', qwenDiscreteMessage: true } };
}

/** A tool call that begins; also what a permission request shows of it. */
export function toolCallOf({ id, name, args, bySubAgent }: ShownCall): ToolCall {
  return {
    toolCallId: id,
    title: titleOf(name, args),
    name,
    kind: KINDS[name] ?? 'other',
    status: 'pending',
    rawInput: args,
    ...(bySubAgent && { _meta: { subAgent: true } }),
  };
}

/** A tool call that has ended. */
export function toolResultUpdate({ id }: ShownCall, { succeeded, text, structured }: ToolResult): SessionUpdate {
  return {
    sessionUpdate: 'tool_call_update',
    toolCallId: id,
    status: succeeded ? 'completed' : 'failed',
    content: [{ type: 'content', content: { type: 'text', text } }],
    ...(structured !== undefined && { rawOutput: structured }),
  };
}

/** The session's own Todo list. */
export function planUpdate(todos: readonly Todo[]): SessionUpdate {
  return {
    sessionUpdate: 'plan',
    entries: todos.map(({ content, status }) => ({ content, status, priority: 'medium' })),
  };
}

/** An automatic turn begins: nobody has sent its text, so the client is told. */
export function automaticTurnUpdate({ id, text }: StartedTurn): SessionUpdate {
  return {
    sessionUpdate: 'user_message_chunk',
    content: { type: 'text', text },
    _meta: { source: 'automatic_turn', qwenDiscreteMessage: true, turnId: id },
  };
}

/** An automatic turn is over. A prompt says so in its response; this is the same for a turn that nobody waits for (N8). */
export function automaticTurnEndedUpdate({ id }: StartedTurn, result: TurnResult): SessionUpdate {
  return {
    sessionUpdate: 'session_info_update',
    _meta: {
      source: 'automatic_turn',
      turnId: id,
      usage: usageOf(result),
      ...(result.kind === 'failed' ? { error: result.error.message } : { stopReason: stopReasonOf(result) }),
    },
  };
}

/** A prompt that the user might want to send next. */
export function followUpUpdate(suggestion: string): SessionUpdate {
  return { sessionUpdate: 'session_info_update', _meta: { source: 'follow_up', suggestion } };
}

const KINDS: Readonly<Record<string, ToolKind>> = {
  todo_write: 'think',
  list_directory: 'read',
  read_file: 'read',
  write_file: 'edit',
  run_shell_command: 'execute',
  monitor: 'execute',
};

/** The argument that tells one call of a tool from another, whichever of them it has. */
const TellingArguments = z.object({ command: z.string(), file_path: z.string(), path: z.string() }).partial();
const TITLE_CHARS_MAX = 200;

function titleOf(name: string, args: unknown): string {
  const { data } = TellingArguments.safeParse(args);
  const telling = data?.command ?? data?.file_path ?? data?.path;
  return headOf(telling === undefined ? name : `${name}: ${telling}`, TITLE_CHARS_MAX);
}
