import type { GuardStep } from './decisions.ts';
import type { GuardEvent } from './events.ts';
import * as decide from './fixed-decisions.ts';
import type { GuardOff } from './state.ts';

/** A guard that is off never changes: turns are admitted, stops go to the hooks and then end (G3). */
export function stepOff(state: GuardOff, event: GuardEvent): GuardStep {
  switch (event.type) {
    case 'prompt_started':
      return { state, decision: event.origin === 'user' ? decide.ADMIT_NEW : decide.ADMIT_KEPT };
    case 'automatic_turn_requested':
      return { state, decision: event.related ? decide.ADMIT_KEPT : decide.ADMIT_NEW };
    case 'model_stopped':
      return { state, decision: decide.RUN_STOP_HOOKS };
    case 'stop_hooks_finished':
      return { state, decision: event.blocked ? decide.CONTINUE_WITH_REASON : decide.STOP_OFF };
    case 'tools_finished':
      return { state, decision: decide.CONTINUE_WITH_RESULTS };
    case 'stream_opened':
      return { state, decision: decide.NOTED };
    case 'turn_settled':
    case 'todos_written':
    case 'user_message_sent':
    case 'hard_stopped':
    case 'turn_failed':
    case 'chain_ended':
    case 'approval_mode_changed':
    case 'queued_prompt_dropped':
    case 'background_ended':
    case 'looked':
    case 'look_failed':
    case 'prepared':
    case 'prepare_failed':
      return { state, decision: decide.IGNORED.off };
  }
}
