import type { GuardDecision } from './decisions.ts';
import type { GuardEvent } from './events.ts';
import type { GuardState } from './state.ts';
import type { TodoResultRefusal } from './todo-result.ts';

/** What a guard reports for a log or a trace. */
export type GuardReport =
  /** It was made, with this state. The first report, and the only one of its kind. */
  | { readonly began: GuardState }
  /** A step of its machine. */
  | { readonly event: GuardEvent; readonly decision: GuardDecision }
  /** A Todo result that it refused at the door (T1). */
  | { readonly refused: TodoResultRefusal };
