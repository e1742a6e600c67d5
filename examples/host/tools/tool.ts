import type { BackgroundId, BackgroundReference, DaemonTodoStopGuard } from 'todo-stop-guard';
import type { ChatCompletionTool } from 'openai/resources/chat/completions';
import * as z from 'zod';
import type { BackgroundRegistry } from '../background.ts';
import type { Usage } from '../model.ts';

/** What a tool call came to. */
export interface ToolResult {
  readonly succeeded: boolean;
  /** What the model reads. */
  readonly text: string;
  /** What the host reads: a structured result, of whatever tool. */
  readonly structured?: unknown;
}

/** What a tool call may use. */
export interface ToolContext {
  /** The session's working directory. */
  readonly cwd: string;
  /** The end of the turn, by the user's hand. */
  readonly signal: AbortSignal;
  readonly background: BackgroundRegistry;
  /** Counts tokens that the call has cost. */
  readonly spend: (usage: Usage | null) => void;
  /** The background agent that makes the call, if it is one. */
  readonly parent?: BackgroundReference;
}

/** A tool of the host. */
export interface HostTool {
  readonly name: string;
  /** Whose tool it is: only a result of the host's own Todo tool can arm the guard (T1). */
  readonly origin: Parameters<DaemonTodoStopGuard['observeTodoResult']>[0]['tool'];
  /** It changes things: `default` asks first, `plan` refuses it. */
  readonly changesThings: boolean;
  /** As the model is told of it. */
  readonly definition: ChatCompletionTool;
  /**
   * Runs a call. Bad arguments and failures are results; only an abort of the signal, and a cancelled permission, reject.
   *
   * @param args - what `JSON.parse` made of the model's text.
   */
  run(args: unknown, context: ToolContext): Promise<ToolResult>;
}

/** The user cancelled when asked for permission: that ends the turn, not only the call (H1). */
export class PermissionCancelledError extends Error {
  override readonly name = 'PermissionCancelledError';

  constructor() {
    super('The user cancelled at a permission request.');
  }
}

/** Makes one of the host's own tools from a schema and a function that may throw. */
export function defineTool<Schema extends z.ZodType>(definition: {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
  readonly changesThings?: boolean;
  run(args: z.output<Schema>, context: ToolContext): Promise<ToolResult> | ToolResult;
}): HostTool {
  const { name, description, schema, changesThings = false } = definition;
  return {
    name,
    origin: 'native',
    changesThings,
    definition: {
      type: 'function',
      function: { name, description, parameters: z.toJSONSchema(schema, { io: 'input' }) },
    },
    run: async (args, context) => {
      const parsed = schema.safeParse(args);
      if (!parsed.success) return failed(`${name}: ${z.prettifyError(parsed.error)}`);
      try {
        return await definition.run(parsed.data, context);
      } catch (error) {
        context.signal.throwIfAborted();
        if (error instanceof PermissionCancelledError) throw error;
        return failed(error instanceof Error ? error.message : String(error));
      }
    },
  };
}

/** A result that says what went wrong. */
export function failed(message: string): ToolResult {
  return { succeeded: false, text: `Error: ${message}` };
}

/** A plain result. */
export function succeeded(text: string): ToolResult {
  return { succeeded: true, text };
}

/** The result of a call that goes on in the background: its task's id, at once. */
export function begun({ kind, id }: BackgroundId): ToolResult {
  return {
    ...succeeded(`${id} runs in the background. You will be notified.`),
    structured: { kind, id },
  };
}
