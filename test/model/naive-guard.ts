import type { GuardDecision, GuardNotice, RequestPart } from '../../src/decisions.ts';
import type { GuardEvent } from '../../src/events.ts';
import type { HoldReason, StopReason, SuspensionReason } from '../../src/reasons.ts';

/**
 * A second guard, written from the requirements alone and naive on purpose: one mutable object with plain flags, and
 * one long list of ifs for each event. It shares no code with the machine, not even the prompt's text, so that where
 * the two agree over long random sequences, they agree because the requirements say so.
 */
export class NaiveGuard {
  readonly max: number;
  count = 0;
  spent = 0;
  exhausted = false;
  waitsFor: 'retry' | 'background' | null = null;
  suspendedBy: SuspensionReason | null = null;
  queued = false;
  plan: boolean;

  turn: string | null = null;
  automatic = false;
  step = 'working';
  lookIsBefore: 'hooks' | 'verdict' | 'send' = 'hooks';
  hookReason = false;
  toolResults = false;
  sitsOut = false;

  constructor(max: number, plan: boolean) {
    this.max = max;
    this.plan = plan;
  }

  /** The chain's status, in the machine's word. */
  status(): 'idle' | 'armed' | 'paused' | 'exhausted' | 'suspended' {
    if (this.suspendedBy !== null) return 'suspended';
    if (this.exhausted) return 'exhausted';
    if (this.count === 0) return 'idle';
    if (this.waitsFor !== null) return 'paused';
    return 'armed';
  }

  /** C4, C5: why an automatic turn would wait. */
  holds(related: boolean): HoldReason | null {
    if (this.turn !== null) return 'turn_live';
    if (this.queued) return 'queued_prompt';
    if (related && !this.trustWasRevoked()) return null;
    if (this.status() === 'paused') return this.waitsFor;
    return null;
  }

  tell(event: GuardEvent): GuardDecision {
    const relatedHeld = this.holds(true) !== null;
    const unrelatedHeld = this.holds(false) !== null;
    const decision = this.decide(event);
    const opened = (relatedHeld && this.holds(true) === null) || (unrelatedHeld && this.holds(false) === null);
    if (decision.kind === 'noted' && opened) return { ...decision, released: true };
    return decision;
  }

  private decide(event: GuardEvent): GuardDecision {
    // T6: only the live turn's events count; the two that start a turn are the exception.
    if (event.type === 'prompt_started' || event.type === 'automatic_turn_requested') {
      if (event.turn === this.turn) return { kind: 'ignored', reason: 'already_started' };
    } else if ('turn' in event && event.turn !== this.turn) {
      return { kind: 'ignored', reason: 'stale_turn' };
    }

    if (event.type === 'prompt_started') {
      const supersedes = this.turn !== null;
      this.queued = false;
      this.startTurn(event.turn, false);
      const trusted = event.origin === 'retry' || event.origin === 'continue';
      if (trusted && !supersedes && this.count > 0 && !this.exhausted && this.suspendedBy === null) {
        this.waitsFor = null;
        return { kind: 'admit', chain: 'kept' };
      }
      this.startChain();
      return { kind: 'admit', chain: 'new' };
    }

    if (event.type === 'automatic_turn_requested') {
      const reason = this.holds(event.related);
      if (reason !== null) return { kind: 'hold', reason };
      this.startTurn(event.turn, true);
      if (event.related && !this.trustWasRevoked()) {
        this.waitsFor = null;
        return { kind: 'admit', chain: 'kept' };
      }
      this.startChain();
      return { kind: 'admit', chain: 'new' };
    }

    if (event.type === 'turn_settled') {
      let notice: GuardNotice | null = null;
      if (this.step === 'sending') notice = this.spendOne(); // B2: in doubt, it was sent
      this.turn = null;
      if (this.status() === 'armed' && event.background) this.waitsFor = 'background';
      return noted(notice);
    }

    if (event.type === 'todos_written') {
      if (this.suspendedBy !== null) return { kind: 'ignored', reason: 'suspended' };
      if (this.plan) return { kind: 'ignored', reason: 'plan' };
      if (event.unfinishedCount === this.count) return { kind: 'ignored', reason: 'no_effect' };
      this.count = event.unfinishedCount;
      if (this.count === 0) this.waitsFor = null;
      return noted(null);
    }

    if (event.type === 'user_message_sent') {
      const stepMoves = this.step !== 'working' && this.step !== 'continuing';
      const stageBegins = this.suspendedBy === null && (this.spent > 0 || this.exhausted || this.waitsFor !== null);
      if (!stepMoves && !stageBegins) {
        return this.nothingNew();
      }
      if (stepMoves) this.step = 'working';
      this.startStage();
      return noted(null);
    }

    if (event.type === 'hard_stopped') {
      const changed = this.suspend(event.reason);
      if (this.dialogueRuns()) {
        this.step = 'stopped';
        return { kind: 'stop', reason: event.reason };
      }
      return changed ? noted(null) : this.nothingNew();
    }

    if (event.type === 'turn_failed') {
      const armed = this.status() === 'armed';
      if (armed) this.waitsFor = 'retry';
      if (this.dialogueRuns()) {
        this.step = 'stopped';
        return { kind: 'stop', reason: 'turn_failed' };
      }
      return armed ? noted(null) : this.nothingNew();
    }

    if (event.type === 'chain_ended') {
      const chainEnds = ['rewound', 'history_restored', 'branched', 'directory_changed', 'session_replaced'];
      const alreadyEnded = this.suspendedBy !== null && [...chainEnds, 'retry_abandoned'].includes(this.suspendedBy);
      if (alreadyEnded || this.suspendedBy === event.reason) return this.nothingNew();
      this.suspendedBy = null;
      this.suspend(event.reason);
      this.callBackTheSend();
      return noted(null);
    }

    if (event.type === 'approval_mode_changed') {
      const plan = event.mode === 'plan';
      if (plan === this.plan) return { kind: 'ignored', reason: 'no_effect' };
      this.plan = plan;
      if (plan) {
        this.count = 0;
        this.waitsFor = null;
        this.callBackTheSend();
      }
      return noted(null);
    }

    if (event.type === 'queued_prompt_dropped') {
      if (!this.queued) return { kind: 'ignored', reason: 'no_effect' };
      this.queued = false;
      this.suspend('queued_prompt_dropped');
      return noted(null);
    }

    if (event.type === 'background_ended') {
      if (this.status() !== 'paused' || this.waitsFor !== 'background') return { kind: 'ignored', reason: 'no_effect' };
      this.waitsFor = null;
      return noted(null);
    }

    if (event.type === 'model_stopped') {
      if (this.step === 'stopped') return { kind: 'ignored', reason: 'stopped' };
      if (this.dialogueRuns()) return { kind: 'ignored', reason: 'settling' };
      this.hookReason = false;
      this.toolResults = false;
      if (this.status() === 'armed') return this.look('hooks'); // O1
      if (this.queued) return this.stop('queued_prompt'); // O0
      if (!this.automatic) return this.runHooks(true); // O0, O3
      return this.stop(this.whyNot());
    }

    if (event.type === 'tools_finished') {
      if (this.step === 'stopped') return { kind: 'ignored', reason: 'stopped' };
      if (this.dialogueRuns()) return { kind: 'ignored', reason: 'settling' };
      this.hookReason = false;
      this.toolResults = true;
      if (this.step === 'working') return this.goOn(['tool_results']);
      return this.look('verdict'); // B3, B6
    }

    if (event.type === 'looked') {
      if (this.step !== 'looking') return this.outOfStep();
      if (event.queuedPrompt) this.queued = true;
      if (event.userMessages) {
        // O1, B6; a hook's reason is superseded (O6)
        this.startStage();
        return this.goOn(this.toolResults ? ['tool_results', 'user_messages'] : ['user_messages']);
      }
      if (this.queued) return this.stop('queued_prompt'); // O2
      if (this.lookIsBefore === 'hooks' && !this.automatic) return this.runHooks(this.status() !== 'armed'); // O3, O0

      // O4 from here
      const closing = this.toolResults && this.status() === 'idle' && !this.plan && this.spent < this.max; // B5
      const armed = this.status() === 'armed';
      if (armed && event.background) return this.withoutGuard('background');
      if (armed && this.spent >= this.max) {
        if (this.hookReason) return this.goOn(['stop_hook_reason']); // B8: while a hook goes on, the report waits
        this.exhausted = true;
        this.step = 'stopped';
        return {
          kind: 'stop',
          reason: 'exhausted',
          notice: { about: 'exhaustion', attempt: this.spent, maxAttempts: this.max, unfinishedCount: this.count },
        };
      }
      if (!armed && !closing) return this.withoutGuard(this.whyNot());
      if (this.lookIsBefore !== 'send') {
        this.step = 'preparing';
        return { kind: 'prepare' };
      }
      this.step = 'sending';
      const carries: RequestPart[] = [];
      if (this.toolResults) carries.push('tool_results');
      if (this.hookReason) carries.push('stop_hook_reason');
      const attempt = this.spent + 1;
      if (closing) return { kind: 'send', carries, attempt, maxAttempts: this.max };
      carries.push('guard_prompt');
      return {
        kind: 'send',
        carries,
        attempt,
        maxAttempts: this.max,
        prompt: promptFor(this.count, attempt === this.max),
      };
    }

    if (event.type === 'look_failed') {
      if (this.step !== 'looking') return this.outOfStep();
      if (this.queued) return this.stop('queued_prompt');
      if (this.lookIsBefore === 'hooks' && !this.automatic) return this.runHooks(true); // O8
      return this.withoutGuard('look_failed');
    }

    if (event.type === 'stop_hooks_finished') {
      if (this.step !== 'hooks') return this.outOfStep();
      this.hookReason = event.blocked;
      if (!this.sitsOut) return this.look('verdict'); // O6
      return this.withoutGuard(this.status() === 'armed' ? 'look_failed' : this.whyNot());
    }

    if (event.type === 'prepared') {
      if (this.step !== 'preparing') return this.outOfStep();
      return this.look('send'); // O6
    }

    if (event.type === 'prepare_failed') {
      if (this.step !== 'preparing') return this.outOfStep();
      this.suspend('prepare_failed'); // O9
      return this.withoutGuard('prepare_failed');
    }

    // stream_opened
    if (this.step === 'continuing') {
      this.step = 'working';
      return noted(null);
    }
    if (this.step !== 'sending') return this.outOfStep();
    this.step = this.hookReason ? 'working' : 'guard_stream'; // B7
    return noted(this.spendOne());
  }

  private startTurn(id: string, automatic: boolean): void {
    this.turn = id;
    this.automatic = automatic;
    this.step = 'working';
  }

  private startChain(): void {
    this.count = 0;
    this.suspendedBy = null;
    this.startStage();
  }

  /** C3: the whole budget again. */
  private startStage(): void {
    if (this.suspendedBy !== null) return;
    this.spent = 0;
    this.exhausted = false;
    this.waitsFor = null;
  }

  private suspend(reason: SuspensionReason): boolean {
    if (this.suspendedBy !== null) return false;
    this.suspendedBy = reason;
    this.count = 0;
    this.spent = 0;
    this.exhausted = false;
    this.waitsFor = null;
    return true;
  }

  /** Trust has gone or the mode is plan: a send of the guard alone that has not opened is not wanted any more. */
  private callBackTheSend(): void {
    if (this.turn !== null && this.step === 'sending' && !this.hookReason) this.step = 'stopped';
  }

  private trustWasRevoked(): boolean {
    return (
      this.suspendedBy === 'rewound' ||
      this.suspendedBy === 'history_restored' ||
      this.suspendedBy === 'branched' ||
      this.suspendedBy === 'directory_changed' ||
      this.suspendedBy === 'session_replaced' ||
      this.suspendedBy === 'retry_abandoned'
    );
  }

  private dialogueRuns(): boolean {
    return this.step !== 'working' && this.step !== 'guard_stream' && this.step !== 'stopped';
  }

  private spendOne(): GuardNotice | null {
    if (this.suspendedBy !== null) return null;
    this.spent += 1;
    return { about: 'continuation', attempt: this.spent, maxAttempts: this.max, unfinishedCount: this.count };
  }

  private look(before: 'hooks' | 'verdict' | 'send'): GuardDecision {
    this.step = 'looking';
    this.lookIsBefore = before;
    return { kind: 'look' };
  }

  private runHooks(sitsOut: boolean): GuardDecision {
    this.step = 'hooks';
    this.sitsOut = sitsOut;
    return { kind: 'run_stop_hooks' };
  }

  private goOn(carries: RequestPart[]): GuardDecision {
    this.step = 'continuing';
    return { kind: 'continue', carries };
  }

  private stop(reason: StopReason): GuardDecision {
    this.step = 'stopped';
    return { kind: 'stop', reason };
  }

  /** The guard has no part: the hook goes on alone, or the turn ends. */
  private withoutGuard(reason: StopReason): GuardDecision {
    return this.hookReason ? this.goOn(['stop_hook_reason']) : this.stop(reason);
  }

  private whyNot(): StopReason {
    const status = this.status();
    if (status === 'suspended' || status === 'exhausted' || status === 'paused') return status;
    return 'nothing_unfinished';
  }

  private nothingNew(): GuardDecision {
    return { kind: 'ignored', reason: this.suspendedBy === null ? 'no_effect' : 'suspended' };
  }

  private outOfStep(): GuardDecision {
    return { kind: 'ignored', reason: this.step === 'stopped' ? 'stopped' : 'out_of_step' };
  }
}

function noted(notice: GuardNotice | null): GuardDecision {
  return notice === null ? { kind: 'noted' } : { kind: 'noted', notice };
}

/** N1 and N2, written out once more. */
function promptFor(count: number, isLast: boolean): string {
  let text = '[Todo Stop Guard] ' + String(count) + ' todo item(s) are still pending or in progress. ';
  text += 'Continue executing the current task now. Do not ask the user whether to continue. ';
  text += 'If progress requires user input, use the structured question or permission flow. ';
  text += 'If progress depends on external state, report the blocker explicitly.';
  if (isLast) {
    text += ' This is the final automatic continuation. ';
    text += 'Before ending, either complete/update the todos or report the completed progress and the exact blocker.';
  }
  return text;
}
