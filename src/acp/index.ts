/**
 * The pieces for an agent and a bridge that speak the Agent Client Protocol: guard notices as payloads, the answers
 * to `craft/drainMidTurnQueue`, drains that answer late, and the compaction of replays.
 *
 * The ACP SDK is not needed to use them.
 *
 * @module todo-stop-guard/acp
 */
export { guardNoticeNotification, guardNoticeUpdate, isGuardNotice } from './notices.ts';
export type { GuardNoticeMeta, GuardNoticeNotification, GuardNoticeUpdate } from './notices.ts';
export { isGuardPrompt } from '../prompts.ts';
export { hasQueuedPrompt, isMethodNotFound, NO_QUEUE, readDrainAnswer, readDrainError } from './drain.ts';
export type { DrainAnswer, PendingPrompt } from './drain.ts';
export { drainAnswered, drainAsked, NO_DRAINS, takeDrained } from './late-drain.ts';
export type { Drained, DrainLedger, DrainRecord, DrainRequest } from './late-drain.ts';
export { compactReplay } from './replay-compaction.ts';
export type { ReplayEvent } from './replay-compaction.ts';
export type { GuardNotice } from '../decisions.ts';
