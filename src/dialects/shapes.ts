import * as z from 'zod/mini';

/** A way in which some project says its Todo list. */
export type TodoDialect =
  'claude_code' | 'opencode' | 'gemini_cli' | 'codex' | 'langchain' | 'vscode' | 'acp_v1' | 'acp_v2';

/** An item as some dialect says it. The envelope has no word for the last two. */
export interface DialectItem {
  /** Only where the dialect has ids. */
  readonly id?: string | number | undefined;
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed' | 'cancelled' | 'blocked';
}

const plainStatus = z.enum(['pending', 'in_progress', 'completed']);
const cancellableStatus = z.enum(['pending', 'in_progress', 'completed', 'cancelled']);
const blockableStatus = z.enum(['pending', 'in_progress', 'completed', 'cancelled', 'blocked']);

const VSCODE_WORDS = {
  'not-started': 'pending',
  'in-progress': 'in_progress',
  completed: 'completed',
} as const;

/**
 * What each project publishes; the sources are named in `docs/dialects.md`.
 *
 * Only what the envelope needs is read, other keys are allowed, and no word is guessed: a status that the project
 * does not publish, such as `done`, refuses the list.
 */
export const DIALECT_SHAPES: { readonly [Dialect in TodoDialect]: z.ZodMiniType<readonly DialectItem[]> } = {
  /** Claude Code `TodoWrite`: the arguments of the call. */
  claude_code: z.pipe(
    z.object({ todos: z.array(z.object({ content: z.string(), status: plainStatus })) }),
    z.transform(({ todos }): readonly DialectItem[] => todos),
  ),
  /** opencode `todowrite`: the metadata of the result, or the arguments. */
  opencode: z.pipe(
    z.object({
      todos: z.array(z.object({ id: z.optional(z.string()), content: z.string(), status: cancellableStatus })),
    }),
    z.transform(({ todos }): readonly DialectItem[] => todos),
  ),
  /** Gemini CLI `write_todos`: the display value of the result, or the arguments. */
  gemini_cli: z.pipe(
    z.object({ todos: z.array(z.object({ description: z.string(), status: blockableStatus })) }),
    z.transform(({ todos }): readonly DialectItem[] =>
      todos.map(({ description, status }) => ({ content: description, status })),
    ),
  ),
  /** Codex `update_plan`: the arguments, which its plan event repeats. */
  codex: z.pipe(
    z.object({ plan: z.array(z.object({ step: z.string(), status: plainStatus })) }),
    z.transform(({ plan }): readonly DialectItem[] => plan.map(({ step, status }) => ({ content: step, status }))),
  ),
  /** LangChain `write_todos`: the state update of the command, or the arguments. */
  langchain: z.pipe(
    z.object({ todos: z.array(z.object({ content: z.string(), status: plainStatus })) }),
    z.transform(({ todos }): readonly DialectItem[] => todos),
  ),
  /** VS Code `manage_todo_list`: the arguments of a write; a read leaves its list aside. */
  vscode: z.pipe(
    z.object({
      operation: z.optional(z.literal('write')),
      todoList: z.array(
        z.object({
          id: z.number(),
          title: z.string(),
          status: z.enum(['not-started', 'in-progress', 'completed']),
        }),
      ),
    }),
    z.transform(({ todoList }): readonly DialectItem[] =>
      todoList.map(({ id, title, status }) => ({ id, content: title, status: VSCODE_WORDS[status] })),
    ),
  ),
  /** ACP v1: the `plan` update of a session. */
  acp_v1: z.pipe(
    z.object({
      sessionUpdate: z.literal('plan'),
      entries: z.array(z.object({ content: z.string(), status: plainStatus })),
    }),
    z.transform(({ entries }): readonly DialectItem[] => entries),
  ),
  /** ACP v2: the `plan_update` of a session, for a plan that is a list of items. */
  acp_v2: z.pipe(
    z.object({
      sessionUpdate: z.literal('plan_update'),
      plan: z.object({
        type: z.literal('items'),
        entries: z.array(z.object({ content: z.string(), status: cancellableStatus })),
      }),
    }),
    z.transform(({ plan }): readonly DialectItem[] => plan.entries),
  ),
};
