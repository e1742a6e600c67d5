import { methods } from '@agentclientprotocol/sdk';
import type { AgentContext, SessionUpdate } from '@agentclientprotocol/sdk';
import type { DroppedTurn, GuardNotice } from 'todo-stop-guard';
import { guardNoticeNotification } from 'todo-stop-guard/acp';
import type { DrainedMessages, PermissionAnswer, SessionSurface, ShownCall, StartedTurn } from '../host/surface.ts';
import type { Todo } from '../host/tools/todo-write.ts';
import type { ToolResult } from '../host/tools/tool.ts';
import type { TurnResult } from '../host/turn.ts';
import { MidTurnQueue } from './mid-turn-queue.ts';
import { askPermission } from './permission.ts';
import {
  automaticTurnEndedUpdate,
  automaticTurnUpdate,
  followUpUpdate,
  hostMessageUpdate,
  planUpdate,
  textUpdate,
  toolCallOf,
  toolResultUpdate,
} from './updates.ts';

/** A session as its ACP client sees it. */
export class AcpSurface implements SessionSurface {
  readonly #client: AgentContext;
  readonly #sessionId: string;
  readonly #queue: MidTurnQueue;
  /** The client's names for the turns that it has asked for. */
  readonly #promptIds = new Map<string, string>();

  constructor(client: AgentContext, sessionId: string) {
    this.#client = client;
    this.#sessionId = sessionId;
    this.#queue = new MidTurnQueue(client, sessionId);
  }

  /** A turn that was begun is known to the client by this id. */
  nameTurn(turn: string, promptId: string): void {
    this.#promptIds.set(turn, promptId);
  }

  /** The session is gone. */
  dispose(): void {
    this.#queue.dispose();
  }

  turnStarted(turn: StartedTurn): void {
    if (turn.automatic) this.#show(automaticTurnUpdate(turn));
  }

  text(delta: string): void {
    this.#show(textUpdate(delta));
  }

  toolStarted(call: ShownCall): void {
    this.#show({ sessionUpdate: 'tool_call', ...toolCallOf(call) });
  }

  toolFinished(call: ShownCall, result: ToolResult): void {
    this.#show(toolResultUpdate(call, result));
  }

  plan(todos: readonly Todo[]): void {
    this.#show(planUpdate(todos));
  }

  notice(notice: GuardNotice): Promise<void> {
    return this.#client.notify(methods.client.session.update, guardNoticeNotification(this.#sessionId, notice));
  }

  permission(call: ShownCall, signal: AbortSignal): Promise<PermissionAnswer> {
    return askPermission(this.#client, this.#sessionId, call, signal);
  }

  drain(turn: string, signal: AbortSignal): Promise<DrainedMessages> {
    return this.#queue.drain(this.#promptIds.get(turn) ?? turn, signal);
  }

  compacted(error: unknown): void {
    if (error !== null) this.#show(hostMessageUpdate('The history could not be summarised.'));
  }

  dropped({ held, reason }: DroppedTurn<string>): void {
    // A fire that a newer one of its task has replaced is no loss.
    if (reason === 'coalesced') return;
    this.#show(hostMessageUpdate(`Too many automatic turns wait; this one will not run: ${held.payload}`));
  }

  turnEnded(turn: StartedTurn, result: TurnResult): void {
    this.#promptIds.delete(turn.id);
    if (turn.automatic) this.#show(automaticTurnEndedUpdate(turn, result));
  }

  followUp(suggestion: string): void {
    this.#show(followUpUpdate(suggestion));
  }

  /** The protocol has no words for these. */
  decided(): void {}
  held(): void {}

  /** A client that has left is shown nothing. */
  #show(update: SessionUpdate): void {
    this.#client.notify(methods.client.session.update, { sessionId: this.#sessionId, update }).catch(() => undefined);
  }
}
