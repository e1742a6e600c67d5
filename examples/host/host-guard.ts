import { DaemonTodoStopGuard } from 'todo-stop-guard';
import type {
  BackgroundSnapshot,
  GuardDecision,
  GuardFact,
  GuardOptions,
  TodoResultObservation,
  TodoResultRefused,
} from 'todo-stop-guard';
import type { SessionSurface, ToldType } from './surface.ts';

/** Hears each decision, right after it was made. */
export type DecisionListener = SessionSurface['decided'];

/** The guard, whose every decision the session hears: also those that the driver gets. */
export class HostGuard extends DaemonTodoStopGuard {
  readonly #listener: DecisionListener;
  /** The last queued prompt was dropped while a look was under way, which may have seen it still. */
  #lookIsStale = false;

  constructor(options: GuardOptions, listener: DecisionListener) {
    super(options);
    this.#listener = listener;
  }

  override tell(fact: GuardFact): GuardDecision {
    return this.#heard(fact.type, super.tell(this.#upToDate(fact)));
  }

  override observeTodoResult(observation: TodoResultObservation): GuardDecision | TodoResultRefused {
    return this.#heard('todo_result', super.observeTodoResult(observation));
  }

  override observeBackground(snapshot: BackgroundSnapshot): GuardDecision {
    return this.#heard('background', super.observeBackground(snapshot));
  }

  /** A prompt that is gone must not take a priority that nothing would lift again (O2). */
  #upToDate(fact: GuardFact): GuardFact {
    if (fact.type === 'queued_prompt_dropped') {
      this.#lookIsStale = !this.state.off && this.state.turn?.stop.at === 'looking';
      return fact;
    }
    if (fact.type !== 'looked' || !this.#lookIsStale) return fact;
    this.#lookIsStale = false;
    return { ...fact, queuedPrompt: false };
  }

  #heard<Decision extends GuardDecision | TodoResultRefused>(told: ToldType, decision: Decision): Decision {
    this.#listener(told, decision, this.state);
    return decision;
  }
}
