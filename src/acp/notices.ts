import type { SessionNotification } from '@agentclientprotocol/sdk';
import * as z from 'zod/mini';
import type { GuardNotice } from '../decisions.ts';
import { noticeText } from '../notices.ts';
import { readUntrusted } from '../read-untrusted.ts';

/** The `update` of a `session/update` that carries a guard notice (N3, N4). Type aliases, since ACP's `_meta` is open. */
export type GuardNoticeUpdate = {
  readonly sessionUpdate: 'agent_message_chunk';
  readonly content: { readonly type: 'text'; readonly text: string };
  readonly _meta: GuardNoticeMeta;
};

/** What tells a notice from words of the model, and keeps it apart from its neighbours in a replay (N3, N7). */
export type GuardNoticeMeta = {
  readonly source: 'todo_stop_guard';
  readonly qwenDiscreteMessage: true;
  /** The attempt that was spent; for an exhaustion, how many were. From 1. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** 0 for a closing send (B5). */
  readonly unfinishedCount: number;
};

/** The parameters of a `session/update` that carries a guard notice. */
export type GuardNoticeNotification = {
  readonly sessionId: string;
  readonly update: GuardNoticeUpdate;
};

/**
 * A notice as the `update` of a `session/update` (N3, N4). It holds numbers and nothing of the list (T4).
 *
 * @param notice - from a decision, as it is.
 */
export function guardNoticeUpdate(notice: GuardNotice): GuardNoticeUpdate {
  return {
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'text', text: noticeText(notice) },
    _meta: {
      source: 'todo_stop_guard',
      qwenDiscreteMessage: true,
      attempt: notice.attempt,
      maxAttempts: notice.maxAttempts,
      unfinishedCount: notice.unfinishedCount,
    },
  };
}

/**
 * A notice as the whole parameters of a `session/update` (N3, N4). That it could not be delivered changes no
 * decision (N5): a rejected send is for the host to log.
 */
export function guardNoticeNotification(sessionId: string, notice: GuardNotice): GuardNoticeNotification {
  // `satisfies` holds the payload against the protocol here, so that the published declarations need no import of the
  // SDK, which the user of another ACP implementation lacks.
  return { sessionId, update: guardNoticeUpdate(notice) } satisfies SessionNotification;
}

const Notice = z.object({
  sessionUpdate: z.literal('agent_message_chunk'),
  content: z.object({ type: z.literal('text'), text: z.string() }),
  _meta: z.object({
    source: z.literal('todo_stop_guard'),
    qwenDiscreteMessage: z.literal(true),
    attempt: z.int().check(z.positive()),
    maxAttempts: z.int().check(z.positive()),
    unfinishedCount: z.int().check(z.nonnegative()),
  }),
});

/**
 * Whether the `update` of a `session/update` is a guard notice (N3, N4).
 *
 * @param update - any value at all; it is only read, and never throws through. Extra keys are allowed: a relay may add
 *   its own.
 * @returns `true` only with source, mark and all three numbers. What the text says decides nothing.
 */
export function isGuardNotice(update: unknown): update is GuardNoticeUpdate {
  return readUntrusted(Notice, update).ok;
}
