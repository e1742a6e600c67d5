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
  GUARD_STREAM,
  guardWith,
  look,
  moveTo,
  noted,
  outOfStep,
  proceed,
  runStopHooks,
  stop,
  STOPPED,
  turnAt,
  unchanged,
  withChain,
  WORKING,
} from './answers.ts';
import type { Looking, StepOn } from './answers.ts';
import { checkCount, checkMode, checkTurn, checkWord, PROMPT_ORIGINS } from './check-event.ts';
import type { GuardDecision, GuardNotice, GuardStep } from './decisions.ts';
import type { GuardEvent, GuardEventType } from './events.ts';
import * as decide from './fixed-decisions.ts';
import { holds } from './holds.ts';
import { guardPrompt } from './prompts.ts';
import { CHAIN_END_REASONS, HARD_STOP_REASONS } from './reasons.ts';
import type { StopReason, SuspensionReason } from './reasons.ts';
import type { GuardChain, GuardOn, GuardState, GuardTurn, Hand, TurnId } from './state.ts';

type EventOf<Type extends GuardEventType> = Extract<GuardEvent, { type: Type }>;

/** An event that means something only while its turn is live. */
type InTurnEvent = Exclude<
  Extract<GuardEvent, { turn: TurnId }>,
  EventOf<'prompt_started' | 'automatic_turn_requested'>
>;

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
  switch (event.type) {
    case 'prompt_started':
      checkWord('origin', event.origin, PROMPT_ORIGINS);
      checkTurn(event.turn);
      return state.off
        ? unchanged(state, event.origin === 'user' ? decide.ADMIT_NEW : decide.ADMIT_KEPT)
        : promptStarted(state, event);
    case 'automatic_turn_requested':
      checkTurn(event.turn);
      return state.off
        ? unchanged(state, event.related ? decide.ADMIT_KEPT : decide.ADMIT_NEW)
        : automaticTurnRequested(state, event);
    case 'chain_ended':
      checkWord('reason', event.reason, CHAIN_END_REASONS);
      return state.off ? unchanged(state, decide.IGNORED.off) : chainEnded(state, event);
    case 'approval_mode_changed':
      checkMode(event.mode);
      return state.off ? unchanged(state, decide.IGNORED.off) : approvalModeChanged(state, event);
    case 'queued_prompt_dropped':
      return state.off ? unchanged(state, decide.IGNORED.off) : queuedPromptDropped(state);
    case 'background_ended':
      return state.off ? unchanged(state, decide.IGNORED.off) : backgroundEnded(state);
    case 'todos_written':
      checkCount(event.unfinishedCount);
      return ofTurn(state, event, decide.IGNORED.off);
    case 'hard_stopped':
      checkWord('reason', event.reason, HARD_STOP_REASONS);
      return ofTurn(state, event, decide.IGNORED.off);
    case 'model_stopped':
      return ofTurn(state, event, decide.RUN_STOP_HOOKS);
    case 'stop_hooks_finished':
      return ofTurn(state, event, event.blocked ? decide.CONTINUE_WITH_REASON : decide.STOP_OFF);
    case 'tools_finished':
      return ofTurn(state, event, decide.CONTINUE_WITH_RESULTS);
    case 'stream_opened':
      return ofTurn(state, event, decide.NOTED);
    case 'turn_settled':
    case 'user_message_sent':
    case 'turn_failed':
    case 'looked':
    case 'look_failed':
    case 'prepared':
    case 'prepare_failed':
      return ofTurn(state, event, decide.IGNORED.off);
  }
  throw new TypeError('Unknown event type: pass one of the types of GuardEvent, such as "model_stopped".');
}

/** T6: an event of any turn but the live one changes nothing. A guard that is off lets the hooks run and the turn end (G3). */
function ofTurn(state: GuardState, event: InTurnEvent, whileOff: GuardDecision): GuardStep {
  checkTurn(event.turn);
  if (state.off) return unchanged(state, whileOff);
  return state.turn !== null && state.turn.id === event.turn
    ? stepInTurn(state, state.turn, event)
    : unchanged(state, decide.IGNORED.stale_turn);
}

function stepInTurn(state: GuardOn, turn: GuardTurn, event: InTurnEvent): StepOn {
  switch (event.type) {
    case 'turn_settled':
      return turnSettled(state, turn, event);
    case 'todos_written':
      return todosWritten(state, event);
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
      return looked(state, turn, event);
    case 'look_failed':
      return lookFailed(state, turn);
    case 'stop_hooks_finished':
      return stopHooksFinished(state, turn, event);
    case 'prepared':
      return prepared(state, turn);
    case 'prepare_failed':
      return prepareFailed(state, turn);
    case 'stream_opened':
      return streamOpened(state, turn);
  }
}

// ---- turns -------------------------------------------------------------------------------------------------------

/** C1, C2: a retry keeps the chain only if that has trusted unfinished items and no live turn is superseded. */
function promptStarted(state: GuardOn, { turn, origin }: EventOf<'prompt_started'>): StepOn {
  const { status } = state.chain;
  if (state.turn?.id === turn) return unchanged(state, decide.IGNORED.already_started);
  return begin(
    state,
    turn,
    false,
    origin !== 'user' && state.turn === null && (status === 'armed' || status === 'paused'),
  );
}

/** C4, C5: a related turn belongs to the chain in every status; after trust was revoked nothing is related. */
function automaticTurnRequested(state: GuardOn, event: EventOf<'automatic_turn_requested'>): StepOn {
  if (state.turn?.id === event.turn) return unchanged(state, decide.IGNORED.already_started);
  const related = event.related && !isRevoked(state.chain);
  const reason = holds(state, related);
  return reason === null ? begin(state, event.turn, true, related) : unchanged(state, decide.HOLD[reason]);
}

/** A turn begins, in the chain that there is or in a new one. A queued prompt's priority ends here (O2). */
function begin({ maxAttempts, chain, plan }: GuardOn, id: TurnId, automatic: boolean, kept: boolean): StepOn {
  return {
    state: {
      off: false,
      maxAttempts,
      chain: kept ? resume(chain) : armedOrIdle(0, 0),
      turn: { id, automatic, stop: WORKING },
      queuedPrompt: false,
      plan,
    },
    decision: kept ? decide.ADMIT_KEPT : decide.ADMIT_NEW,
  };
}

/** The turn is over. A send of which nothing was said counts as opened: in doubt, it was sent (B2). */
function turnSettled(state: GuardOn, turn: GuardTurn, { background }: EventOf<'turn_settled'>): StepOn {
  const { chain, notice } = turn.stop.at === 'sending' ? spend(state) : { chain: state.chain };
  return noted(state, guardWith(state, background ? pause(chain, 'background') : chain, null), notice);
}

// ---- facts of the live turn, and of the session ------------------------------------------------------------------

/** T3: the newest trusted result replaces the count. Nothing arms in plan mode (C8) or after a suspension (H3). */
function todosWritten(state: GuardOn, { unfinishedCount }: EventOf<'todos_written'>): StepOn {
  return state.plan && state.chain.status !== 'suspended'
    ? unchanged(state, decide.IGNORED.plan)
    : withChain(state, recount(state.chain, unfinishedCount));
}

/** C3: a fresh stage. The request that carried the message is the user's, and an open dialogue is over with it (B2, B6, O7). */
function userMessageSent(state: GuardOn, turn: GuardTurn): StepOn {
  const { at } = turn.stop;
  const chain = refresh(state.chain);
  return at === 'working' || at === 'continuing'
    ? withChain(state, chain)
    : moveTo(state, turn, WORKING, decide.NOTED, chain);
}

/** H1, H2: a cancel or an error ends an open dialogue; outside one, only the chain takes it. */
function interrupted(state: GuardOn, turn: GuardTurn, chain: GuardChain, reason: StopReason): StepOn {
  return busy(turn) === 'settling' ? stop(state, turn, reason, chain) : withChain(state, chain);
}

/** C6, H2: whatever the chain was, it is over, and nothing is related to it any more. */
function chainEnded(state: GuardOn, { reason }: EventOf<'chain_ended'>): StepOn {
  const { chain } = state;
  return isRevoked(chain) || (chain.status === 'suspended' && chain.reason === reason)
    ? unchanged(state, decide.IGNORED.suspended)
    : noted(state, guardWith(state, { status: 'suspended', reason }, withdraw(state.turn)));
}

/** C8: plan mode drops the count; attempts, a suspension and a queued prompt's priority stay. */
function approvalModeChanged(state: GuardOn, { mode }: EventOf<'approval_mode_changed'>): StepOn {
  const plan = mode === 'plan';
  if (plan === state.plan) return unchanged(state, decide.IGNORED.no_effect);
  return noted(
    state,
    plan ? { ...state, plan, chain: recount(state.chain, 0), turn: withdraw(state.turn) } : { ...state, plan },
  );
}

function queuedPromptDropped(state: GuardOn): StepOn {
  return state.queuedPrompt
    ? noted(state, { ...state, queuedPrompt: false, chain: suspend(state.chain, 'queued_prompt_dropped') })
    : unchanged(state, decide.IGNORED.no_effect);
}

function backgroundEnded(state: GuardOn): StepOn {
  const { chain } = state;
  return chain.status === 'paused' && chain.until === 'background'
    ? withChain(state, resume(chain))
    : unchanged(state, decide.IGNORED.no_effect);
}

/** Takes back a send that the guard alone is about to make: its stream is then closed as it opens. A hook's send goes on (B7). */
function withdraw(turn: GuardTurn | null): GuardTurn | null {
  return turn?.stop.at === 'sending' && turn.stop.hand !== 'hook_reason' ? turnAt(turn, STOPPED) : turn;
}

// ---- the stop dialogue -------------------------------------------------------------------------------------------

/** O0: only an armed chain looks. For any other the hooks run and the turn ends, unless a queued prompt comes first (O2). */
function modelStopped(state: GuardOn, turn: GuardTurn): StepOn {
  const reason = busy(turn);
  if (reason !== null) return unchanged(state, decide.IGNORED[reason]);
  if (state.chain.status === 'armed') return look(state, turn, 'hooks', 'nothing');
  if (state.queuedPrompt) return stop(state, turn, 'queued_prompt');
  return turn.automatic ? stop(state, turn, inactive(state.chain)) : runStopHooks(state, turn, true);
}

/** B3: only the tool results of a guard stream are the guard's business. */
function toolsFinished(state: GuardOn, turn: GuardTurn): StepOn {
  const reason = busy(turn);
  if (reason !== null) return unchanged(state, decide.IGNORED[reason]);
  return turn.stop.at === 'guard_stream'
    ? look(state, turn, 'verdict', 'tool_results')
    : proceed(state, turn, decide.CONTINUE_WITH_RESULTS);
}

/** O1 to O4: first the user's messages, then the prompt queue, then the hooks, then the guard. */
function looked(state: GuardOn, turn: GuardTurn, event: EventOf<'looked'>): StepOn {
  if (turn.stop.at !== 'looking') return outOfStep(state, turn);
  const { before, hand } = turn.stop;
  const seen = event.queuedPrompt ? { ...state, queuedPrompt: true } : state;
  if (event.userMessages) return proceed(seen, turn, decide.CONTINUE_WITH_MESSAGES[hand], refresh(seen.chain));
  if (seen.queuedPrompt) return stop(seen, turn, 'queued_prompt');
  if (before === 'hooks' && !turn.automatic) return runStopHooks(seen, turn, seen.chain.status !== 'armed');
  return verdict(seen, turn, before, hand, event.background);
}

/** O8: the guard sits this stop out; the hooks run, and a hook's send goes ahead. */
function lookFailed(state: GuardOn, turn: GuardTurn): StepOn {
  if (turn.stop.at !== 'looking') return outOfStep(state, turn);
  if (state.queuedPrompt) return stop(state, turn, 'queued_prompt');
  if (turn.stop.before === 'hooks' && !turn.automatic) return runStopHooks(state, turn, true);
  return endOrHook(state, turn, turn.stop.hand, 'look_failed');
}

function stopHooksFinished(state: GuardOn, turn: GuardTurn, { blocked }: EventOf<'stop_hooks_finished'>): StepOn {
  if (turn.stop.at !== 'hooks') return outOfStep(state, turn);
  const hand = blocked ? 'hook_reason' : 'nothing';
  if (!turn.stop.sitsOut) return look(state, turn, 'verdict', hand);
  return endOrHook(state, turn, hand, state.chain.status === 'armed' ? 'look_failed' : inactive(state.chain));
}

/** O4, B5: the guard opens a stream, or a hook goes on alone, or the request ends. Deferral comes before exhaustion. */
function verdict(state: GuardOn, turn: GuardTurn, before: Looking['before'], hand: Hand, background: boolean): StepOn {
  const { chain } = state;
  const attempt = nextAttempt(state, hand, background);
  if (attempt !== null) {
    return before === 'send'
      ? moveTo(state, turn, { at: 'sending', hand }, send(state, hand, attempt))
      : moveTo(state, turn, { at: 'preparing', hand }, decide.PREPARE);
  }
  return chain.status === 'armed' && !background && hand !== 'hook_reason'
    ? exhaust(state, turn, chain.unfinishedCount)
    : endOrHook(state, turn, hand, chain.status === 'armed' ? 'background' : inactive(chain));
}

/** The guard does not go on: a hook that blocked goes on alone, and otherwise the request ends. */
function endOrHook(state: GuardOn, turn: GuardTurn, hand: Hand, reason: StopReason, chain = state.chain): StepOn {
  return hand === 'hook_reason'
    ? proceed(state, turn, decide.CONTINUE_WITH_REASON, chain)
    : stop(state, turn, reason, chain);
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
  const notice = { about: 'exhaustion', attempt: maxAttempts, maxAttempts, unfinishedCount } as const;
  return moveTo(
    state,
    turn,
    STOPPED,
    { kind: 'stop', reason: 'exhausted', notice },
    { status: 'exhausted', unfinishedCount },
  );
}

function prepared(state: GuardOn, turn: GuardTurn): StepOn {
  return turn.stop.at === 'preparing' ? look(state, turn, 'send', turn.stop.hand) : outOfStep(state, turn);
}

/** O9: the chain is suspended; a coalesced hook goes on with its own reason. */
function prepareFailed(state: GuardOn, turn: GuardTurn): StepOn {
  return turn.stop.at === 'preparing'
    ? endOrHook(state, turn, turn.stop.hand, 'prepare_failed', suspend(state.chain, 'prepare_failed'))
    : outOfStep(state, turn);
}

/** B7: a stream shared with a hook is the hook's from now on. */
function streamOpened(state: GuardOn, turn: GuardTurn): StepOn {
  if (turn.stop.at === 'continuing') return moveTo(state, turn, WORKING, decide.NOTED);
  if (turn.stop.at !== 'sending') return outOfStep(state, turn);
  const open = turn.stop.hand === 'hook_reason' ? WORKING : GUARD_STREAM;
  const { chain, notice } = spend(state);
  return noted(state, guardWith(state, chain, turnAt(turn, open)), notice);
}

/** B2: here, and only here, an attempt is spent: by a send whose stream has opened. */
function spend({ chain, maxAttempts }: GuardOn): { readonly chain: GuardChain; readonly notice?: GuardNotice } {
  if (chain.status !== 'armed' && chain.status !== 'idle') return { chain };
  const attempt = chain.spent + 1;
  const unfinishedCount = countOf(chain);
  return {
    chain: armedOrIdle(unfinishedCount, attempt),
    notice: { about: 'continuation', attempt, maxAttempts, unfinishedCount },
  };
}

/** Why the turn takes no stop signal now (O7). */
function busy({ stop: { at } }: GuardTurn): 'settling' | 'stopped' | null {
  return at === 'working' || at === 'guard_stream' ? null : at === 'stopped' ? at : 'settling';
}

// ---- the chain ---------------------------------------------------------------------------------------------------

function armedOrIdle(unfinishedCount: number, spent: number): GuardChain {
  return unfinishedCount === 0 ? { status: 'idle', spent } : { status: 'armed', unfinishedCount, spent };
}

function countOf(chain: GuardChain): number {
  return 'unfinishedCount' in chain ? chain.unfinishedCount : 0;
}

/** T3: another count; a suspended chain has none, an exhausted one stays exhausted. */
function recount(chain: GuardChain, unfinishedCount: number): GuardChain {
  if (chain.status === 'suspended' || unfinishedCount === countOf(chain)) return chain;
  return chain.status === 'exhausted' || (chain.status === 'paused' && unfinishedCount > 0)
    ? { ...chain, unfinishedCount }
    : armedOrIdle(unfinishedCount, chain.spent);
}

/** The whole budget again. A suspended chain is not revived (C3). */
function refresh(chain: GuardChain): GuardChain {
  const { status } = chain;
  return status === 'suspended' || ((status === 'idle' || status === 'armed') && chain.spent === 0)
    ? chain
    : armedOrIdle(countOf(chain), 0);
}

function pause(chain: GuardChain, until: 'retry' | 'background'): GuardChain {
  if (chain.status !== 'armed') return chain;
  return { status: 'paused', unfinishedCount: chain.unfinishedCount, spent: chain.spent, until };
}

function resume(chain: GuardChain): GuardChain {
  return chain.status === 'paused' ? armedOrIdle(chain.unfinishedCount, chain.spent) : chain;
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
