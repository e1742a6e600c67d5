import type { HoldReason } from './reasons.ts';
import type { GuardState } from './state.ts';

/**
 * Why an automatic turn has to wait, or `null` when nothing holds it. The one predicate about holding: admission
 * (C4, C5), `released` (Q2) and the suppression of follow-ups (Q3) are all read from it.
 *
 * @param related - the turn brings a result of the chain's own background work. It waits for a live turn and for a
 * queued prompt; an unrelated turn also waits while the chain is resumable.
 */
export function holds(state: GuardState, related: boolean): HoldReason | null {
  if (state.off) return null;
  if (state.turn !== null) return 'turn_live';
  if (state.queuedPrompt) return 'queued_prompt';
  return state.chain.status === 'paused' && !related ? state.chain.until : null;
}
