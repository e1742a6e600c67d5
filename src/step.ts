/**
 * Every transition of the machine. A transition anywhere else is a bug.
 *
 * Theory of operation. The chain says what the guard may do: only an `armed` one continues. The live turn's step says
 * what the machine has asked and waits for. A natural stop of an armed chain opens a dialogue:
 *
 *     look → run_stop_hooks → look → prepare → look → send → stream_opened
 *
 * Each look can end it: a user's message goes on in the host's loop, a queued prompt stops, relevant background defers.
 * Tool results of a guard stream enter at the second look. What is in hand (a hook's reason, tool results) travels with
 * the step. Only `verdict` lets the guard open a stream, and only `streamOpened` spends an attempt.
 *
 * @module
 */
import {
  atStep,
  GUARD_STREAM,
  ignored,
  look,
  noted,
  outOfStep,
  proceed,
  runStopHooks,
  stop,
  STOPPED,
  withChain,
  WORKING,
} from './answers.ts';
import type { Looking, StepOn } from './answers.ts';
import { checkEvent } from './check-event.ts';
import type { GuardDecision, GuardStep } from './decisions.ts';
import type { GuardEvent } from './events.ts';
import * as decide from './fixed-decisions.ts';
import { holds } from './holds.ts';
import { guardPrompt } from './prompts.ts';
import { CHAIN_END_REASONS } from './reasons.ts';
import type { StopReason, SuspensionReason } from './reasons.ts';
import type { GuardChain, GuardOn, GuardState, GuardTurn, Hand, TurnId } from './state.ts';
import { stepOff } from './step-off.ts';

const FRESH: GuardChain = { status: 'idle', spent: 0 };

type EventOf<Type extends GuardEvent['type']> = Extract<GuardEvent, { type: Type }>;

/**
 * Takes one fact and answers with the next state and the one thing to do.
 *
 * Pure, and total over every state and event. Where a decision leaves the state unchanged it is the same object; a fact
 * that means nothing here is `ignored`.
 *
 * @param state - from `initialGuardState` or an earlier step; never changed.
 * @throws TypeError for an unknown event type, an empty turn id (T6), or a word that is not in its closed list.
 * @throws RangeError for an unfinished count that is not a whole number from 0.
 */
export function step(state: GuardState, event: GuardEvent): GuardStep {
  checkEvent(event);
  if (state.off) return stepOff(state, event);
  const next = stepOn(state, event);
  return next.decision.kind === 'noted' && releases(state, next.state)
    ? { state: next.state, decision: { ...next.decision, released: true } }
    : next;
}

/** Q2: something that held related turns, or unrelated ones, holds them no more. */
function releases(before: GuardState, after: GuardState): boolean {
  return opens(before, after, true) || opens(before, after, false);
}

function opens(before: GuardState, after: GuardState, related: boolean): boolean {
  return holds(after, related) === null && holds(before, related) !== null;
}

function stepOn(state: GuardOn, event: GuardEvent): StepOn {
  switch (event.type) {
    case 'prompt_started':
      return promptStarted(state, event);
    case 'automatic_turn_requested':
      return automaticTurnRequested(state, event);
    case 'chain_ended':
      return chainEnded(state, event.reason);
    case 'approval_mode_changed':
      return approvalModeChanged(state, event.mode === 'plan');
    case 'queued_prompt_dropped':
      return state.queuedPrompt
        ? noted({ ...state, queuedPrompt: false, chain: suspend(state.chain, 'queued_prompt_dropped') })
        : ignored(state, 'no_effect');
    case 'background_ended':
      return state.chain.status === 'paused' && state.chain.until === 'background'
        ? noted({ ...state, chain: resume(state.chain) })
        : ignored(state, 'no_effect');
    case 'turn_settled':
    case 'todos_written':
    case 'user_message_sent':
    case 'hard_stopped':
    case 'turn_failed':
    case 'model_stopped':
    case 'tools_finished':
    case 'looked':
    case 'look_failed':
    case 'stop_hooks_finished':
    case 'prepared':
    case 'prepare_failed':
    case 'stream_opened':
      return state.turn?.id === event.turn ? stepInTurn(state, state.turn, event) : ignored(state, 'stale_turn');
  }
}

type InTurnEvent = Exclude<
  GuardEvent,
  EventOf<
    | 'prompt_started'
    | 'automatic_turn_requested'
    | 'chain_ended'
    | 'approval_mode_changed'
    | 'queued_prompt_dropped'
    | 'background_ended'
  >
>;

function stepInTurn(state: GuardOn, turn: GuardTurn, event: InTurnEvent): StepOn {
  switch (event.type) {
    case 'turn_settled':
      return turnSettled(state, turn, event.background);
    case 'todos_written':
      return todosWritten(state, event.unfinishedCount);
    case 'user_message_sent':
      return userMessageSent(state, turn);
    case 'hard_stopped':
      return interrupted(state, turn, suspend(state.chain, event.reason), event.reason);
    case 'turn_failed':
      return interrupted(state, turn, pause(state.chain, 'retry'), 'turn_failed');
    case 'model_stopped':
      return modelStopped(state, turn);
    case 'tools_finished':
      return toolsFinished(state, turn);
    case 'looked':
      return turn.stop.at === 'looking' ? looked(state, turn, turn.stop, event) : outOfStep(state, turn);
    case 'look_failed':
      return turn.stop.at === 'looking' ? lookFailed(state, turn, turn.stop) : outOfStep(state, turn);
    case 'stop_hooks_finished':
      return turn.stop.at === 'hooks'
        ? stopHooksFinished(state, turn, turn.stop.sitsOut, event.blocked)
        : outOfStep(state, turn);
    case 'prepared':
      return turn.stop.at === 'preparing'
        ? look(state, turn, { at: 'looking', before: 'send', hand: turn.stop.hand })
        : outOfStep(state, turn);
    case 'prepare_failed':
      return turn.stop.at === 'preparing' ? prepareFailed(state, turn, turn.stop.hand) : outOfStep(state, turn);
    case 'stream_opened':
      return streamOpened(state, turn);
  }
}

// ---- turns -------------------------------------------------------------------------------------------------------

/** C1, C2: a retry keeps the chain only if that has trusted unfinished items and no live turn is superseded. */
function promptStarted(state: GuardOn, { turn, origin }: EventOf<'prompt_started'>): StepOn {
  const { chain } = state;
  if (state.turn?.id === turn) return ignored(state, 'already_started');
  const kept = origin !== 'user' && state.turn === null && (chain.status === 'armed' || chain.status === 'paused');
  return begin(state, turn, false, kept);
}

/** C4, C5: a related turn belongs to the chain in every status; after trust was revoked nothing is related. */
function automaticTurnRequested(state: GuardOn, event: EventOf<'automatic_turn_requested'>): StepOn {
  if (state.turn?.id === event.turn) return ignored(state, 'already_started');
  const related = event.related && !isRevoked(state.chain);
  const reason = holds(state, related);
  return reason === null ? begin(state, event.turn, true, related) : { state, decision: decide.HOLD[reason] };
}

/** A turn begins, in the chain that there is or in a new one. A queued prompt's priority ends here (O2). */
function begin(state: GuardOn, id: TurnId, automatic: boolean, kept: boolean): StepOn {
  return {
    state: {
      ...state,
      chain: kept ? resume(state.chain) : FRESH,
      turn: { id, automatic, stop: WORKING },
      queuedPrompt: false,
    },
    decision: kept ? decide.ADMIT_KEPT : decide.ADMIT_NEW,
  };
}

/** The turn is over. A send of which nothing was said counts as opened: in doubt, it was sent (B2). */
function turnSettled(state: GuardOn, turn: GuardTurn, background: boolean): StepOn {
  const { state: last, decision } = turn.stop.at === 'sending' ? streamOpened(state, turn) : noted(state);
  return {
    state: { ...last, turn: null, chain: background ? pause(last.chain, 'background') : last.chain },
    decision,
  };
}

// ---- facts of the live turn, and of the session ------------------------------------------------------------------

/** T3: the newest trusted result replaces the count. Nothing arms in plan mode (C8) or after a suspension (H3). */
function todosWritten(state: GuardOn, unfinishedCount: number): StepOn {
  return state.plan && state.chain.status !== 'suspended'
    ? ignored(state, 'plan')
    : withChain(state, recount(state.chain, unfinishedCount));
}

/** C3: a fresh stage. The request that carried the message is the user's, and an open dialogue is over with it (B2, B6, O7). */
function userMessageSent(state: GuardOn, turn: GuardTurn): StepOn {
  const { at } = turn.stop;
  const next = withChain(state, refresh(state.chain));
  return at === 'working' || at === 'continuing' ? next : noted(atStep(next.state, turn, WORKING));
}

/** H1, H2: a cancel or an error ends an open dialogue; outside one, only the chain takes it. */
function interrupted(state: GuardOn, turn: GuardTurn, chain: GuardChain, reason: StopReason): StepOn {
  return isSettling(turn) ? stop({ ...state, chain }, turn, reason) : withChain(state, chain);
}

/** C6, H2: whatever the chain was, it is over, and nothing is related to it any more. */
function chainEnded(state: GuardOn, reason: SuspensionReason): StepOn {
  const { chain } = state;
  return isRevoked(chain) || (chain.status === 'suspended' && chain.reason === reason)
    ? ignored(state, 'suspended')
    : noted({ ...state, chain: { status: 'suspended', reason }, turn: withdraw(state.turn) });
}

/** C8: plan mode drops the count; attempts, a suspension and a queued prompt's priority stay. */
function approvalModeChanged(state: GuardOn, plan: boolean): StepOn {
  if (plan === state.plan) return ignored(state, 'no_effect');
  return noted(
    plan ? { ...state, plan, chain: dropCount(state.chain), turn: withdraw(state.turn) } : { ...state, plan },
  );
}

/** Takes back a send that the guard alone is about to make: its stream is then closed as it opens. A hook's send goes on (B7). */
function withdraw(turn: GuardTurn | null): GuardTurn | null {
  return turn?.stop.at === 'sending' && turn.stop.hand !== 'hook_reason' ? { ...turn, stop: STOPPED } : turn;
}

// ---- the stop dialogue -------------------------------------------------------------------------------------------

/** O0: only an armed chain looks. For any other the hooks run and the turn ends, unless a queued prompt comes first (O2). */
function modelStopped(state: GuardOn, turn: GuardTurn): StepOn {
  if (isSettling(turn)) return ignored(state, 'settling');
  if (turn.stop.at === 'stopped') return ignored(state, 'stopped');
  if (state.chain.status === 'armed') return look(state, turn, { at: 'looking', before: 'hooks', hand: 'nothing' });
  if (state.queuedPrompt) return stop(state, turn, 'queued_prompt');
  return turn.automatic ? stop(state, turn, inactive(state.chain)) : runStopHooks(state, turn, true);
}

/** B3: only the tool results of a guard stream are the guard's business. */
function toolsFinished(state: GuardOn, turn: GuardTurn): StepOn {
  if (isSettling(turn)) return ignored(state, 'settling');
  if (turn.stop.at === 'stopped') return ignored(state, 'stopped');
  return turn.stop.at === 'guard_stream'
    ? look(state, turn, { at: 'looking', before: 'verdict', hand: 'tool_results' })
    : proceed(state, turn, decide.CONTINUE_WITH_RESULTS);
}

/** O1 to O4: first the user's messages, then the prompt queue, then the hooks, then the guard. */
function looked(state: GuardOn, turn: GuardTurn, { before, hand }: Looking, event: EventOf<'looked'>): StepOn {
  const seen = event.queuedPrompt ? { ...state, queuedPrompt: true } : state;
  if (event.userMessages) {
    return proceed({ ...seen, chain: refresh(seen.chain) }, turn, decide.CONTINUE_WITH_MESSAGES[hand]);
  }
  if (seen.queuedPrompt) return stop(seen, turn, 'queued_prompt');
  if (before === 'hooks' && !turn.automatic) return runStopHooks(seen, turn, seen.chain.status !== 'armed');
  return verdict(seen, turn, before, hand, event.background);
}

/** O8: the guard sits this stop out; the hooks run, and a hook's send goes ahead. */
function lookFailed(state: GuardOn, turn: GuardTurn, { before, hand }: Looking): StepOn {
  if (state.queuedPrompt) return stop(state, turn, 'queued_prompt');
  if (before === 'hooks' && !turn.automatic) return runStopHooks(state, turn, true);
  return hand === 'hook_reason' ? proceed(state, turn, decide.CONTINUE_WITH_REASON) : stop(state, turn, 'look_failed');
}

function stopHooksFinished(state: GuardOn, turn: GuardTurn, sitsOut: boolean, blocked: boolean): StepOn {
  if (!sitsOut)
    return look(state, turn, { at: 'looking', before: 'verdict', hand: blocked ? 'hook_reason' : 'nothing' });
  if (blocked) return proceed(state, turn, decide.CONTINUE_WITH_REASON);
  return stop(state, turn, state.chain.status === 'armed' ? 'look_failed' : inactive(state.chain));
}

/** O4, B5: the guard opens a stream, or a hook goes on alone, or the request ends. Deferral comes before exhaustion. */
function verdict(state: GuardOn, turn: GuardTurn, before: Looking['before'], hand: Hand, background: boolean): StepOn {
  const { chain } = state;
  const attempt = nextAttempt(state, hand, background);
  if (attempt !== null) {
    return before === 'send'
      ? { state: atStep(state, turn, { at: 'sending', hand }), decision: send(state, hand, attempt) }
      : { state: atStep(state, turn, { at: 'preparing', hand }), decision: decide.PREPARE };
  }
  if (hand === 'hook_reason') return proceed(state, turn, decide.CONTINUE_WITH_REASON);
  if (chain.status !== 'armed') return stop(state, turn, inactive(chain));
  return background ? stop(state, turn, 'background') : exhaust(state, turn, chain.unfinishedCount);
}

/** The attempt that the guard may spend now. An idle chain has one left only for the results that completed the list (B5). */
function nextAttempt({ chain, maxAttempts, plan }: GuardOn, hand: Hand, background: boolean): number | null {
  if (chain.status !== 'armed' && chain.status !== 'idle') return null;
  const owed = chain.status === 'armed' ? !background : hand === 'tool_results' && !plan;
  return owed && chain.spent < maxAttempts ? chain.spent + 1 : null;
}

function send({ chain, maxAttempts }: GuardOn, hand: Hand, attempt: number): GuardDecision {
  if (chain.status !== 'armed') return { kind: 'send', carries: decide.TOOL_RESULTS, attempt, maxAttempts };
  const prompt = guardPrompt(chain.unfinishedCount, attempt === maxAttempts);
  return { kind: 'send', carries: decide.WITH_GUARD_PROMPT[hand], attempt, maxAttempts, prompt };
}

/** B8: said once a stage, since only user input or a new chain leaves this status. */
function exhaust(state: GuardOn, turn: GuardTurn, unfinishedCount: number): StepOn {
  const { maxAttempts } = state;
  return {
    state: { ...state, chain: { status: 'exhausted', unfinishedCount }, turn: { ...turn, stop: STOPPED } },
    decision: {
      kind: 'stop',
      reason: 'exhausted',
      notice: { about: 'exhaustion', attempt: maxAttempts, maxAttempts, unfinishedCount },
    },
  };
}

/** O9: the chain is suspended; a coalesced hook goes on with its own reason. */
function prepareFailed(state: GuardOn, turn: GuardTurn, hand: Hand): StepOn {
  const over = { ...state, chain: suspend(state.chain, 'prepare_failed') };
  return hand === 'hook_reason' ? proceed(over, turn, decide.CONTINUE_WITH_REASON) : stop(over, turn, 'prepare_failed');
}

/** B2: here, and only here, an attempt is spent. A stream shared with a hook is the hook's from now on (B7). */
function streamOpened(state: GuardOn, turn: GuardTurn): StepOn {
  const { chain, maxAttempts } = state;
  if (turn.stop.at === 'continuing') return noted(atStep(state, turn, WORKING));
  if (turn.stop.at !== 'sending') return outOfStep(state, turn);
  const open = atStep(state, turn, turn.stop.hand === 'hook_reason' ? WORKING : GUARD_STREAM);
  if (!('spent' in chain)) return noted(open);
  const attempt = chain.spent + 1;
  const unfinishedCount = chain.status === 'idle' ? 0 : chain.unfinishedCount;
  return {
    state: { ...open, chain: { ...chain, spent: attempt } },
    decision: { kind: 'noted', notice: { about: 'continuation', attempt, maxAttempts, unfinishedCount } },
  };
}

// ---- the chain ---------------------------------------------------------------------------------------------------

function recount(chain: GuardChain, unfinishedCount: number): GuardChain {
  switch (chain.status) {
    case 'idle':
      return unfinishedCount === 0 ? chain : { status: 'armed', unfinishedCount, spent: chain.spent };
    case 'armed':
    case 'paused':
      if (unfinishedCount === 0) return { status: 'idle', spent: chain.spent };
      return unfinishedCount === chain.unfinishedCount ? chain : { ...chain, unfinishedCount };
    case 'exhausted':
      return unfinishedCount === chain.unfinishedCount ? chain : { ...chain, unfinishedCount };
    case 'suspended':
      return chain;
  }
}

/** The whole budget again. A suspended chain is not revived (C3). */
function refresh(chain: GuardChain): GuardChain {
  switch (chain.status) {
    case 'idle':
      return chain.spent === 0 ? chain : FRESH;
    case 'armed':
      return chain.spent === 0 ? chain : { ...chain, spent: 0 };
    case 'paused':
    case 'exhausted':
      return recount(FRESH, chain.unfinishedCount);
    case 'suspended':
      return chain;
  }
}

function pause(chain: GuardChain, until: 'retry' | 'background'): GuardChain {
  const { status } = chain;
  return status === 'armed'
    ? { status: 'paused', unfinishedCount: chain.unfinishedCount, spent: chain.spent, until }
    : chain;
}

function resume(chain: GuardChain): GuardChain {
  return chain.status === 'paused'
    ? { status: 'armed', unfinishedCount: chain.unfinishedCount, spent: chain.spent }
    : chain;
}

function dropCount(chain: GuardChain): GuardChain {
  switch (chain.status) {
    case 'armed':
    case 'paused':
      return { status: 'idle', spent: chain.spent };
    case 'exhausted':
      return recount(chain, 0);
    case 'idle':
    case 'suspended':
      return chain;
  }
}

/** H3: the first reason stands. */
function suspend(chain: GuardChain, reason: SuspensionReason): GuardChain {
  return chain.status === 'suspended' ? chain : { status: 'suspended', reason };
}

/** C4: trust was revoked. A cancel alone does not revoke: a related result then still belongs to the suspended chain. */
function isRevoked(chain: GuardChain): boolean {
  return (
    chain.status === 'suspended' &&
    chain.reason !== 'cancelled' &&
    CHAIN_END_REASONS.some((reason) => reason === chain.reason)
  );
}

/** Why a chain that is not armed does not continue. */
function inactive(chain: Exclude<GuardChain, { status: 'armed' }>): StopReason {
  return chain.status === 'idle' ? 'nothing_unfinished' : chain.status;
}

function isSettling(turn: GuardTurn): boolean {
  return turn.stop.at !== 'working' && turn.stop.at !== 'guard_stream' && turn.stop.at !== 'stopped';
}
