import type { Conversation } from './conversation.ts';
import { askPostToolHooks } from './hooks.ts';
import type { ToolCall } from './answer-chunk.ts';
import type { AnsweredCall } from './run-call.ts';
import { runCall } from './run-call.ts';
import type { SameCalls } from './same-calls.ts';
import type { SessionParts } from './session-parts.ts';
import { readTodoList } from './tools/todo-write.ts';
import type { ToolContext } from './tools/tool.ts';
import { PermissionCancelledError } from './tools/tool.ts';
import type { TurnState } from './turn-state.ts';

/** Runs the tool calls of a turn, one after the other, so that the last list written is the last one observed (F49). */
export class TurnCalls {
  readonly #parts: SessionParts;
  readonly #turn: TurnState;
  readonly #conversation: Conversation;
  readonly #sameCalls: SameCalls;

  constructor(parts: SessionParts, turn: TurnState, conversation: Conversation, sameCalls: SameCalls) {
    this.#parts = parts;
    this.#turn = turn;
    this.#conversation = conversation;
    this.#sameCalls = sameCalls;
  }

  /**
   * Runs the calls of one response. Each gets a result, also those that a hard stop leaves out: a provider refuses a
   * history with calls that have none.
   *
   * @throws whatever a call throws when the turn is cancelled.
   */
  async run(calls: readonly ToolCall[]): Promise<void> {
    const open = new Set(calls);
    try {
      for (const call of calls) {
        if (this.#sameCalls.isTooMany(call)) this.#turn.hardStop('loop_detected');
        if (this.#turn.hardStopped !== null) return;
        const { text, shown } = await this.#answer(call, open);
        await this.#askPostToolHooks(shown, text);
      }
    } catch (error) {
      if (!(error instanceof PermissionCancelledError)) throw error;
      this.#turn.hardStop('permission_cancelled');
    } finally {
      for (const call of open) this.#conversation.addToolResult(call.id, 'Not run: the turn was stopped.');
    }
  }

  async #answer(call: ToolCall, open: Set<ToolCall>): Promise<{ text: string; shown: AnsweredCall['shown'] }> {
    const { shown, result } = await runCall(this.#parts, call, this.#context(), false, (answered) => {
      this.#conversation.addToolResult(call.id, answered.result.text);
      open.delete(call);
      this.#observe(answered);
    });
    return { text: result.text, shown };
  }

  /** After execution and status, before the hooks (T5): the guard by its own door, and the reminder. */
  #observe({ shown, result, tool }: AnsweredCall): void {
    if (shown.name !== 'todo_write' || tool === undefined) return;
    const { guard, reminders, surface } = this.#parts;
    guard.observeTodoResult({
      turn: this.#turn.id,
      callId: shown.id,
      tool: tool.origin,
      scope: 'top_level',
      live: true,
      succeeded: result.succeeded,
      result: result.structured,
    });
    const list = tool.origin === 'native' ? readTodoList(result) : null;
    if (list === null) return;
    reminders.update(this.#turn.id, list.todos);
    surface.plan(list.todos);
  }

  async #askPostToolHooks({ name, args }: AnsweredCall['shown'], result: string): Promise<void> {
    const { flags, cwd } = this.#parts;
    if (flags.postToolHook.length === 0) return;
    const stops = await askPostToolHooks(flags.postToolHook, { tool: name, args, result }, cwd(), this.#turn.signal);
    if (stops) this.#turn.hardStop('post_tool_use_stop');
  }

  #context(): ToolContext {
    const { cwd, background } = this.#parts;
    return {
      cwd: cwd(),
      background,
      signal: this.#turn.signal,
      spend: (usage) => {
        this.#turn.spend(usage);
      },
    };
  }
}
