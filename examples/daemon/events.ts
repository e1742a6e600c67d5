import type {
  ContentBlock,
  PermissionOption,
  SessionUpdate,
  StopReason,
  ToolCallUpdate,
} from '@agentclientprotocol/sdk';

/** What a permission request asks about. */
export interface PermissionQuestion {
  readonly requestId: string;
  readonly toolCall: ToolCallUpdate;
  readonly options: readonly PermissionOption[];
}

/** How a prompt ended: by the agent's word, or because there is no agent any more. */
export type PromptEnd =
  | { readonly stopReason: StopReason; readonly _meta?: Readonly<Record<string, unknown>> | null }
  | { readonly error: string };

/**
 * What the clients of a session are told. `update` is always the `update` of a `session/update`, except in a permission
 * request, where it is the question. `promptId` is the prompt, or the automatic turn of the agent, that it belongs to.
 */
export type DaemonEvent =
  | { readonly type: 'prompt_queued'; readonly promptId: string }
  /** It was dropped before it ran. */
  | { readonly type: 'prompt_dropped'; readonly promptId: string }
  | { readonly type: 'prompt_started'; readonly promptId: string }
  | ({ readonly type: 'prompt_ended'; readonly promptId: string } & PromptEnd)
  /** Words of the user go to the agent: those of a prompt that starts, or a mid-turn message that it has fetched. */
  | { readonly type: 'user_message'; readonly promptId: string; readonly update: SessionUpdate }
  /** The agent shows something. */
  | { readonly type: 'session_update'; readonly promptId?: string; readonly update: SessionUpdate }
  | ({
      readonly type: 'permission_request';
      readonly promptId?: string;
      /** The question again, where the contract has every payload. */
      readonly update: PermissionQuestion;
    } & PermissionQuestion)
  | {
      readonly type: 'permission_resolved';
      readonly promptId?: string;
      readonly requestId: string;
      /** `null`: cancelled. */
      readonly optionId: string | null;
    }
  /** The agent's memory of this session is gone; the next prompt starts a new one, which trusts nothing (C6). */
  | { readonly type: 'agent_lost'; readonly error: string }
  | { readonly type: 'session_closed' };

/** Words of the user, as one message. */
export function userWords(content: ContentBlock): SessionUpdate {
  return { sessionUpdate: 'user_message_chunk', content, _meta: { qwenDiscreteMessage: true } };
}
