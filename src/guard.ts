import { AnsweredCalls } from './answered-calls.ts';
import { captureBaseline, hasRelevantBackground, isRelated, REVOKED_BASELINE } from './background.ts';
import type { BackgroundBaseline, BackgroundId, BackgroundSnapshot } from './background.ts';
import { readGuardOptions } from './config.ts';
import type { GuardOptions } from './config.ts';
import type { GuardDecision, GuardStep } from './decisions.ts';
import type { GuardEvent } from './events.ts';
import type { GuardFact } from './facts.ts';
import { IGNORED } from './fixed-decisions.ts';
import { holds } from './holds.ts';
import type { HoldReason } from './reasons.ts';
import type { GuardReport } from './report.ts';
import type { GuardState } from './state.ts';
import { step } from './step.ts';
import { countUnfinished, refuseAnswer, refuseSource } from './todo-result.ts';
import type { TodoResultObservation, TodoResultRefusal, TodoResultRefused } from './todo-result.ts';

/**
 * The guard of one session: it holds the machine's state and the chain's background baseline, reads untrusted values
 * once, and answers what a host asks. All that it decides is decided by `step`.
 *
 * In memory only. A new session, a restart or a restored one makes a new guard (C6, C9); a change of the setting takes
 * effect with a new guard too (G4).
 */
export class DaemonTodoStopGuard {
  readonly #report: ((report: GuardReport) => void) | undefined;
  #state: GuardState;
  #baseline: BackgroundBaseline = REVOKED_BASELINE;
  #answeredCalls: AnsweredCalls | undefined;

  /**
   * @param options - the settings and modes of the session; without any the guard is off (G1).
   * @param report - hears of the beginning, of every step and of every refusal, right after it: for a log or a trace.
   * It must not throw, and must not tell this guard anything.
   * @throws TypeError that names a malformed setting or option (G5).
   * @throws RangeError when `maxAttempts` is not a whole number from 1 to 10 (B1).
   */
  constructor(options: GuardOptions = {}, report?: (report: GuardReport) => void) {
    this.#state = readGuardOptions(options);
    this.#report = report;
    report?.({ began: this.#state });
  }

  /** The machine's state: a plain immutable value without any Todo text (T4). The same object until something changes. */
  get state(): GuardState {
    return this.#state;
  }

  /**
   * Tells a fact, and answers with the one thing to do.
   *
   * @param fact - an event of the machine, with a background snapshot where the machine takes a boolean.
   * @throws what `step` throws, for a programmer's mistake only; the guard is then as it was.
   */
  tell(fact: GuardFact): GuardDecision {
    switch (fact.type) {
      case 'prompt_started':
        return this.#begin(fact, fact.background);
      case 'automatic_turn_requested': {
        const { type, turn, source, background } = fact;
        const related = source !== null && this.isRelated(source, background);
        return this.#begin({ type, turn, related }, background);
      }
      case 'looked': {
        const { type, turn, userMessages, queuedPrompt, background } = fact;
        return this.#take({ type, turn, userMessages, queuedPrompt, background: this.#isRelevant(background) });
      }
      case 'turn_settled':
        return this.#take({ type: fact.type, turn: fact.turn, background: this.#isRelevant(fact.background) });
      case 'chain_ended': {
        const decision = this.#take(fact);
        this.#baseline = REVOKED_BASELINE;
        return decision;
      }
      default:
        return this.#take(fact);
    }
  }

  /**
   * Tells the result of an answered Todo call, after its execution and status calculation and before the PostToolUse
   * hooks (T5). Only a live, successful, top-level result of the host's own tool can arm (T1).
   *
   * @returns the machine's decision, or `ignored` with the reason of the refusal. Never throws, whatever `result` is,
   * and keeps no reference to it (T7).
   */
  observeTodoResult(observation: TodoResultObservation): GuardDecision | TodoResultRefused {
    if (this.#state.off) return IGNORED.off;
    const { turn, callId, result } = observation;
    const noSource = refuseSource(observation);
    if (noSource !== null) return this.#refuse(noSource);
    this.#answeredCalls ??= new AnsweredCalls();
    // A failed answer is one too: no later one to the same call counts.
    const isFirst = this.#answeredCalls.add(callId);
    const noAnswer = refuseAnswer(observation);
    if (noAnswer !== null) return this.#refuse(noAnswer);
    if (!isFirst) return this.#refuse('duplicate_call');
    const unfinishedCount = countUnfinished(result);
    if (unfinishedCount === null) return this.#refuse('not_a_todo_list');
    return this.#take({ type: 'todos_written', turn, unfinishedCount });
  }

  /**
   * Tells how the background work stands, between the facts that carry a snapshot: whenever some of it has ended. A
   * decision that says `released` means that the chain waits no longer (Q2).
   */
  observeBackground(snapshot: BackgroundSnapshot): GuardDecision {
    return this.#isRelevant(snapshot) ? IGNORED.no_effect : this.#take({ type: 'background_ended' });
  }

  /** Why an automatic turn has to wait, or `null` when nothing holds it (C4, C5). */
  holds(related: boolean): HoldReason | null {
    return holds(this.#state, related);
  }

  /** Whether follow-up suggestions are suppressed, once a turn has settled (Q3). */
  get suppressesFollowUps(): boolean {
    return holds(this.#state, false) !== null;
  }

  /**
   * Whether background work belongs to the current chain (K2). Kept whether the guard is on or off: the reminder asks
   * too (K5, R4).
   *
   * @param source - what the automatic turn reports on. A cron fire has none and is never related (K3).
   * @param snapshot - adds the lineage of its ancestors.
   */
  isRelated(source: BackgroundId, snapshot?: BackgroundSnapshot): boolean {
    return isRelated(this.#baseline, source, snapshot);
  }

  #take(event: GuardEvent): GuardDecision {
    return this.#settle(event, step(this.#state, event));
  }

  /**
   * K1: the baseline is taken at the boundary that starts a chain, never before or after. A guard that is off knows no
   * chains, so a kept one has a baseline only if trust was not revoked before.
   */
  #begin(event: GuardEvent, background: BackgroundSnapshot): GuardDecision {
    const next = step(this.#state, event);
    const { decision } = next;
    const isFresh = decision.kind === 'admit' && (decision.chain === 'new' || this.#baseline.revoked);
    // Taken before anything changes: a malformed snapshot throws and leaves the guard as it was.
    if (isFresh) this.#baseline = captureBaseline(background);
    return this.#settle(event, next);
  }

  #settle(event: GuardEvent, { state, decision }: GuardStep): GuardDecision {
    this.#state = state;
    this.#report?.({ event, decision });
    return decision;
  }

  #refuse(refused: TodoResultRefusal): TodoResultRefused {
    this.#report?.({ refused });
    return { kind: 'ignored', reason: refused };
  }

  #isRelevant(snapshot: BackgroundSnapshot): boolean {
    return hasRelevantBackground(this.#baseline, snapshot);
  }
}
