/**
 * The limit: the same rules as a programmer in a hurry for speed would write them, over one object of flat fields that are changed
 * in place. It answers with the same decisions and the same prompts, and checks the same mistakes.
 *
 * The rules are a function over the fields, so that Redux Toolkit can run them on a draft.
 *
 * @module
 */
import type { GuardDecision, GuardEvent, GuardNotice } from '../../src/machine.ts';
import type { IgnoreReason, StopReason, SuspensionReason } from '../../src/machine.ts';
import type { Hand } from '../../src/machine.ts';
import * as decide from '../../src/fixed-decisions.ts';
import { guardPrompt } from '../../src/prompts.ts';
import { CHAIN_END_REASONS, HARD_STOP_REASONS } from '../../src/reasons.ts';

export interface MutableFields {
  maxAttempts: number;
  status: 'idle' | 'armed' | 'paused' | 'exhausted' | 'suspended';
  unfinishedCount: number;
  spent: number;
  until: 'retry' | 'background';
  reason: SuspensionReason | null;
  turn: string | null;
  automatic: boolean;
  at: 'working' | 'guard_stream' | 'stopped' | 'looking' | 'hooks' | 'preparing' | 'sending' | 'continuing';
  before: 'hooks' | 'verdict' | 'send';
  hand: Hand;
  sitsOut: boolean;
  queuedPrompt: boolean;
  plan: boolean;
}

export function initialFields(): MutableFields {
  return {
    maxAttempts: 2,
    status: 'idle',
    unfinishedCount: 0,
    spent: 0,
    until: 'retry',
    reason: null,
    turn: null,
    automatic: false,
    at: 'working',
    before: 'hooks',
    hand: 'nothing',
    sitsOut: false,
    queuedPrompt: false,
    plan: false,
  };
}

export class MutableGuard {
  readonly #fields = initialFields();
  readonly #off: boolean;

  constructor({ off = false } = {}) {
    this.#off = off;
  }

  tell(event: GuardEvent): GuardDecision {
    return this.#off ? tellOff(event) : tellMutable(this.#fields, event);
  }
}

function tellOff(event: GuardEvent): GuardDecision {
  switch (event.type) {
    case 'prompt_started':
      checkTurn(event.turn);
      checkOrigin(event.origin);
      return event.origin === 'user' ? decide.ADMIT_NEW : decide.ADMIT_KEPT;
    case 'automatic_turn_requested':
      checkTurn(event.turn);
      return event.related ? decide.ADMIT_KEPT : decide.ADMIT_NEW;
    case 'model_stopped':
      checkTurn(event.turn);
      return decide.RUN_STOP_HOOKS;
    case 'stop_hooks_finished':
      checkTurn(event.turn);
      return event.blocked ? decide.CONTINUE_WITH_REASON : decide.STOP_OFF;
    case 'tools_finished':
      checkTurn(event.turn);
      return decide.CONTINUE_WITH_RESULTS;
    case 'stream_opened':
      checkTurn(event.turn);
      return decide.NOTED;
    case 'todos_written':
      checkTurn(event.turn);
      if (!Number.isSafeInteger(event.unfinishedCount) || event.unfinishedCount < 0) throw new RangeError('count');
      return decide.IGNORED.off;
    case 'hard_stopped':
      checkTurn(event.turn);
      if (!HARD_STOP_REASONS.includes(event.reason)) throw new TypeError('reason');
      return decide.IGNORED.off;
    case 'chain_ended':
      if (!CHAIN_END_REASONS.includes(event.reason)) throw new TypeError('reason');
      return decide.IGNORED.off;
    case 'approval_mode_changed':
      if (typeof event.mode !== 'string') throw new TypeError('mode');
      return decide.IGNORED.off;
    case 'queued_prompt_dropped':
    case 'background_ended':
      return decide.IGNORED.off;
    case 'turn_settled':
    case 'user_message_sent':
    case 'turn_failed':
    case 'looked':
    case 'look_failed':
    case 'prepared':
    case 'prepare_failed':
      checkTurn(event.turn);
      return decide.IGNORED.off;
  }
}

export function tellMutable(guard: MutableFields, event: GuardEvent): GuardDecision {
  switch (event.type) {
    case 'prompt_started': {
      checkTurn(event.turn);
      checkOrigin(event.origin);
      if (guard.turn === event.turn) return decide.IGNORED.already_started;
      const kept =
        event.origin !== 'user' && guard.turn === null && (guard.status === 'armed' || guard.status === 'paused');
      return begin(guard, event.turn, false, kept);
    }
    case 'automatic_turn_requested': {
      checkTurn(event.turn);
      if (guard.turn === event.turn) return decide.IGNORED.already_started;
      const related = event.related && !isRevoked(guard);
      if (guard.turn !== null) return decide.HOLD.turn_live;
      if (guard.queuedPrompt) return decide.HOLD.queued_prompt;
      if (guard.status === 'paused' && !related) return decide.HOLD[guard.until];
      return begin(guard, event.turn, true, related);
    }
    case 'chain_ended':
      if (!CHAIN_END_REASONS.includes(event.reason)) throw new TypeError('reason');
      if (isRevoked(guard) || (guard.status === 'suspended' && guard.reason === event.reason)) {
        return decide.IGNORED.suspended;
      }
      return released(guard, () => {
        guard.status = 'suspended';
        guard.reason = event.reason;
        withdraw(guard);
      });
    case 'approval_mode_changed': {
      if (typeof event.mode !== 'string') throw new TypeError('mode');
      const plan = event.mode === 'plan';
      if (plan === guard.plan) return decide.IGNORED.no_effect;
      return released(guard, () => {
        guard.plan = plan;
        if (!plan) return;
        if (guard.status === 'armed' || guard.status === 'paused') guard.status = 'idle';
        guard.unfinishedCount = 0;
        withdraw(guard);
      });
    }
    case 'queued_prompt_dropped':
      if (!guard.queuedPrompt) return decide.IGNORED.no_effect;
      guard.queuedPrompt = false;
      suspend(guard, 'queued_prompt_dropped');
      return guard.turn === null ? RELEASED : decide.NOTED;
    case 'background_ended':
      if (guard.status !== 'paused' || guard.until !== 'background') return decide.IGNORED.no_effect;
      guard.status = 'armed';
      return guard.turn === null && !guard.queuedPrompt ? RELEASED : decide.NOTED;
    case 'turn_settled': {
      checkTurn(event.turn);
      if (guard.turn !== event.turn) return decide.IGNORED.stale_turn;
      const notice = guard.at === 'sending' ? spend(guard) : undefined;
      guard.turn = null;
      if (event.background) pause(guard, 'background');
      // A turn held everything; when it is over, related turns are held by a queued prompt only.
      if (guard.queuedPrompt) return notice === undefined ? decide.NOTED : { kind: 'noted', notice };
      return notice === undefined ? RELEASED : { kind: 'noted', notice, released: true };
    }
    case 'todos_written': {
      const { unfinishedCount } = event;
      if (!Number.isSafeInteger(unfinishedCount) || unfinishedCount < 0) throw new RangeError('unfinishedCount');
      checkTurn(event.turn);
      if (guard.turn !== event.turn) return decide.IGNORED.stale_turn;
      if (guard.status === 'suspended') return decide.IGNORED.suspended;
      if (guard.plan) return decide.IGNORED.plan;
      if (unfinishedCount === guard.unfinishedCount) return decide.IGNORED.no_effect;
      guard.unfinishedCount = unfinishedCount;
      if (guard.status === 'idle') guard.status = 'armed';
      else if (unfinishedCount === 0 && guard.status !== 'exhausted') guard.status = 'idle';
      return decide.NOTED;
    }
    case 'user_message_sent': {
      checkTurn(event.turn);
      if (guard.turn !== event.turn) return decide.IGNORED.stale_turn;
      const changed = refresh(guard);
      if (guard.at === 'guard_stream' || guard.at === 'stopped') {
        guard.at = 'working';
        return decide.NOTED;
      }
      if (changed) return decide.NOTED;
      return guard.status === 'suspended' ? decide.IGNORED.suspended : decide.IGNORED.no_effect;
    }
    case 'hard_stopped': {
      if (!HARD_STOP_REASONS.includes(event.reason)) throw new TypeError('reason');
      checkTurn(event.turn);
      if (guard.turn !== event.turn) return decide.IGNORED.stale_turn;
      const changed = suspend(guard, event.reason);
      if (isSettling(guard)) return stop(guard, event.reason);
      return changed ? decide.NOTED : decide.IGNORED.suspended;
    }
    case 'turn_failed': {
      checkTurn(event.turn);
      if (guard.turn !== event.turn) return decide.IGNORED.stale_turn;
      const changed = pause(guard, 'retry');
      if (isSettling(guard)) return stop(guard, 'turn_failed');
      if (changed) return decide.NOTED;
      return guard.status === 'suspended' ? decide.IGNORED.suspended : decide.IGNORED.no_effect;
    }
    case 'model_stopped':
      checkTurn(event.turn);
      if (guard.turn !== event.turn) return decide.IGNORED.stale_turn;
      if (isSettling(guard)) return decide.IGNORED.settling;
      if (guard.at === 'stopped') return decide.IGNORED.stopped;
      if (guard.status === 'armed') return look(guard, 'hooks', 'nothing');
      if (guard.queuedPrompt) return stop(guard, 'queued_prompt');
      return guard.automatic ? stop(guard, inactive(guard)) : runStopHooks(guard, true);
    case 'tools_finished':
      checkTurn(event.turn);
      if (guard.turn !== event.turn) return decide.IGNORED.stale_turn;
      if (isSettling(guard)) return decide.IGNORED.settling;
      if (guard.at === 'stopped') return decide.IGNORED.stopped;
      if (guard.at === 'guard_stream') return look(guard, 'verdict', 'tool_results');
      guard.at = 'continuing';
      return decide.CONTINUE_WITH_RESULTS;
    case 'looked': {
      checkTurn(event.turn);
      if (guard.turn !== event.turn) return decide.IGNORED.stale_turn;
      if (guard.at !== 'looking') return outOfStep(guard);
      const { before, hand } = guard;
      if (event.queuedPrompt) guard.queuedPrompt = true;
      if (event.userMessages) {
        refresh(guard);
        guard.at = 'continuing';
        return decide.CONTINUE_WITH_MESSAGES[hand];
      }
      if (guard.queuedPrompt) return stop(guard, 'queued_prompt');
      if (before === 'hooks' && !guard.automatic) return runStopHooks(guard, guard.status !== 'armed');
      return verdict(guard, event.background);
    }
    case 'look_failed':
      checkTurn(event.turn);
      if (guard.turn !== event.turn) return decide.IGNORED.stale_turn;
      if (guard.at !== 'looking') return outOfStep(guard);
      if (guard.queuedPrompt) return stop(guard, 'queued_prompt');
      if (guard.before === 'hooks' && !guard.automatic) return runStopHooks(guard, true);
      return guard.hand === 'hook_reason' ? continueHook(guard) : stop(guard, 'look_failed');
    case 'stop_hooks_finished':
      checkTurn(event.turn);
      if (guard.turn !== event.turn) return decide.IGNORED.stale_turn;
      if (guard.at !== 'hooks') return outOfStep(guard);
      if (!guard.sitsOut) return look(guard, 'verdict', event.blocked ? 'hook_reason' : 'nothing');
      if (event.blocked) return continueHook(guard);
      return stop(guard, guard.status === 'armed' ? 'look_failed' : inactive(guard));
    case 'prepared':
      checkTurn(event.turn);
      if (guard.turn !== event.turn) return decide.IGNORED.stale_turn;
      return guard.at === 'preparing' ? look(guard, 'send', guard.hand) : outOfStep(guard);
    case 'prepare_failed':
      checkTurn(event.turn);
      if (guard.turn !== event.turn) return decide.IGNORED.stale_turn;
      if (guard.at !== 'preparing') return outOfStep(guard);
      suspend(guard, 'prepare_failed');
      return guard.hand === 'hook_reason' ? continueHook(guard) : stop(guard, 'prepare_failed');
    case 'stream_opened': {
      checkTurn(event.turn);
      if (guard.turn !== event.turn) return decide.IGNORED.stale_turn;
      if (guard.at === 'continuing') {
        guard.at = 'working';
        return decide.NOTED;
      }
      if (guard.at !== 'sending') return outOfStep(guard);
      const notice = spend(guard);
      guard.at = guard.hand === 'hook_reason' ? 'working' : 'guard_stream';
      return notice === undefined ? decide.NOTED : { kind: 'noted', notice };
    }
  }
  throw new TypeError('Unknown event type');
}

const RELEASED: GuardDecision = { kind: 'noted', released: true };

function checkTurn(turn: unknown): void {
  if (typeof turn !== 'string' || turn === '') throw new TypeError('turn');
}

function checkOrigin(origin: unknown): void {
  if (origin !== 'user' && origin !== 'retry' && origin !== 'continue') throw new TypeError('origin');
}

function begin(guard: MutableFields, turn: string, automatic: boolean, kept: boolean): GuardDecision {
  if (!kept) {
    guard.status = 'idle';
    guard.unfinishedCount = 0;
    guard.spent = 0;
    guard.reason = null;
  } else if (guard.status === 'paused') {
    guard.status = 'armed';
  }
  guard.turn = turn;
  guard.automatic = automatic;
  guard.at = 'working';
  guard.queuedPrompt = false;
  return kept ? decide.ADMIT_KEPT : decide.ADMIT_NEW;
}

function verdict(guard: MutableFields, background: boolean): GuardDecision {
  const { status, hand, spent, maxAttempts } = guard;
  const owed = status === 'armed' ? !background : status === 'idle' && hand === 'tool_results' && !guard.plan;
  if (owed && spent < maxAttempts) {
    if (guard.before !== 'send') {
      guard.at = 'preparing';
      return decide.PREPARE;
    }
    guard.at = 'sending';
    const attempt = spent + 1;
    if (status === 'idle') return { kind: 'send', carries: decide.TOOL_RESULTS, attempt, maxAttempts };
    const prompt = guardPrompt(guard.unfinishedCount, attempt === maxAttempts);
    return { kind: 'send', carries: decide.WITH_GUARD_PROMPT[hand], attempt, maxAttempts, prompt };
  }
  if (hand === 'hook_reason') return continueHook(guard);
  if (status !== 'armed') return stop(guard, inactive(guard));
  if (background) return stop(guard, 'background');
  guard.status = 'exhausted';
  guard.at = 'stopped';
  const { unfinishedCount } = guard;
  const notice: GuardNotice = { about: 'exhaustion', attempt: maxAttempts, maxAttempts, unfinishedCount };
  return { kind: 'stop', reason: 'exhausted', notice };
}

function spend(guard: MutableFields): GuardNotice | undefined {
  const { status, unfinishedCount, maxAttempts } = guard;
  if (status === 'exhausted' || status === 'suspended') return undefined;
  guard.spent += 1;
  return { about: 'continuation', attempt: guard.spent, maxAttempts, unfinishedCount };
}

function look(guard: MutableFields, before: MutableFields['before'], hand: Hand): GuardDecision {
  guard.at = 'looking';
  guard.before = before;
  guard.hand = hand;
  return decide.LOOK;
}

function runStopHooks(guard: MutableFields, sitsOut: boolean): GuardDecision {
  guard.at = 'hooks';
  guard.sitsOut = sitsOut;
  return decide.RUN_STOP_HOOKS;
}

function continueHook(guard: MutableFields): GuardDecision {
  guard.at = 'continuing';
  return decide.CONTINUE_WITH_REASON;
}

function stop(guard: MutableFields, reason: StopReason): GuardDecision {
  guard.at = 'stopped';
  return { kind: 'stop', reason };
}

function outOfStep(guard: MutableFields): GuardDecision {
  return decide.IGNORED[(guard.at === 'stopped' ? 'stopped' : 'out_of_step') satisfies IgnoreReason];
}

function refresh(guard: MutableFields): boolean {
  switch (guard.status) {
    case 'suspended':
      return false;
    case 'idle':
    case 'armed': {
      const changed = guard.spent !== 0;
      guard.spent = 0;
      return changed;
    }
    case 'paused':
    case 'exhausted':
      guard.spent = 0;
      guard.status = guard.unfinishedCount === 0 ? 'idle' : 'armed';
      return true;
  }
}

function pause(guard: MutableFields, until: 'retry' | 'background'): boolean {
  if (guard.status !== 'armed') return false;
  guard.status = 'paused';
  guard.until = until;
  return true;
}

function suspend(guard: MutableFields, reason: SuspensionReason): boolean {
  if (guard.status === 'suspended') return false;
  guard.status = 'suspended';
  guard.reason = reason;
  return true;
}

function withdraw(guard: MutableFields): void {
  if (guard.turn !== null && guard.at === 'sending' && guard.hand !== 'hook_reason') guard.at = 'stopped';
}

/** Only an unrelated turn can be released without a turn's end: nothing else than a pause may go away. */
function released(guard: MutableFields, change: () => void): GuardDecision {
  const wasHeld = guard.turn === null && !guard.queuedPrompt && guard.status === 'paused';
  change();
  return wasHeld ? RELEASED : decide.NOTED;
}

function isRevoked(guard: MutableFields): boolean {
  return (
    guard.status === 'suspended' &&
    guard.reason !== 'cancelled' &&
    CHAIN_END_REASONS.some((reason) => reason === guard.reason)
  );
}

function inactive(guard: MutableFields): StopReason {
  return guard.status === 'idle' || guard.status === 'armed' ? 'nothing_unfinished' : guard.status;
}

function isSettling(guard: MutableFields): boolean {
  return guard.at !== 'working' && guard.at !== 'guard_stream' && guard.at !== 'stopped';
}
