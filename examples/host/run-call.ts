import type { ApprovalMode } from './flags.ts';
import type { ToolCall } from './answer-chunk.ts';
import type { PermissionAnswer, SessionSurface, ShownCall } from './surface.ts';
import type { HostTool, ToolContext, ToolResult } from './tools/tool.ts';
import { failed, PermissionCancelledError } from './tools/tool.ts';
import { unlessAborted } from './unless-aborted.ts';

/** A session's tools, and what stands before them. */
export interface ToolHouse {
  readonly tools: ReadonlyMap<string, HostTool>;
  /** The approval mode now. */
  readonly mode: () => ApprovalMode;
  readonly surface: Pick<SessionSurface, 'toolStarted' | 'toolFinished' | 'permission'>;
}

/** A call that was answered. */
export interface AnsweredCall {
  readonly shown: ShownCall;
  readonly result: ToolResult;
  /** `undefined`: there is no such tool. */
  readonly tool: HostTool | undefined;
}

/**
 * Runs one tool call: reads its arguments, asks for permission, executes. What goes wrong is a result for the model.
 *
 * @param answered - called with the result before anybody is shown it (T5).
 * @throws PermissionCancelledError when the user cancelled at the permission request, and the signal's reason.
 */
export async function runCall(
  house: ToolHouse,
  call: ToolCall,
  context: ToolContext,
  bySubAgent: boolean,
  answered: (call: AnsweredCall) => void,
): Promise<AnsweredCall> {
  const tool = house.tools.get(call.name);
  const shown = { id: call.id, name: call.name, args: parseArguments(call.arguments), bySubAgent };
  house.surface.toolStarted(shown);
  let result = failed(`${call.name} was cancelled.`);
  try {
    result = await execute(house, tool, shown, context);
    answered({ shown, result, tool });
  } finally {
    house.surface.toolFinished(shown, result);
  }
  return { shown, result, tool };
}

async function execute(
  house: ToolHouse,
  tool: HostTool | undefined,
  shown: ShownCall,
  context: ToolContext,
): Promise<ToolResult> {
  if (tool === undefined) {
    return failed(`there is no tool ${shown.name}. Use one of ${[...house.tools.keys()].join(', ')}.`);
  }
  if (tool.changesThings) {
    switch (await permission(house, shown, context.signal)) {
      case 'refused':
        return failed(`${tool.name} is refused in plan mode: nothing may be changed yet.`);
      case 'rejected':
        return failed(`the user did not allow ${tool.name}.`);
      case 'cancelled':
        throw new PermissionCancelledError();
      case 'allowed':
        break;
    }
  }
  context.signal.throwIfAborted();
  return tool.run(shown.args, context);
}

async function permission(
  { mode, surface }: ToolHouse,
  shown: ShownCall,
  signal: AbortSignal,
): Promise<PermissionAnswer | 'refused'> {
  switch (mode()) {
    case 'plan':
      return 'refused';
    case 'yolo':
      return 'allowed';
    case 'default':
      return unlessAborted(surface.permission(shown, signal), signal);
  }
}

function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text === '' ? '{}' : text);
  } catch {
    return text;
  }
}
