import type { SessionUpdate } from '@agentclientprotocol/sdk';
import * as z from 'zod';

/** The agent begins or ends a turn that no prompt has asked for. */
export interface AutomaticTurnEvent {
  readonly event: 'started' | 'ended';
  readonly turnId: string;
}

const AutomaticTurn = z.object({
  sessionUpdate: z.enum(['user_message_chunk', 'session_info_update']),
  _meta: z.object({ source: z.literal('automatic_turn'), turnId: z.string() }),
});

/** What an update says about such a turn; `null` when it says nothing about one. */
export function automaticTurnOf(update: SessionUpdate): AutomaticTurnEvent | null {
  const { data } = AutomaticTurn.safeParse(update);
  if (data === undefined) return null;
  return { event: data.sessionUpdate === 'user_message_chunk' ? 'started' : 'ended', turnId: data._meta.turnId };
}
