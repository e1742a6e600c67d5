import type { GuardEventType } from '../../src/events.ts';
import type { IgnoreReason } from '../../src/reasons.ts';

/** What the machine may answer to an event, and the rules that say so. */
type Rules = Readonly<Record<string, string>>;

/** Why an event may mean nothing, whatever it is. */
export const IGNORED_RULES: Readonly<Record<Exclude<IgnoreReason, 'off'>, string>> = {
  stale_turn: 'T6',
  already_started: 'C1, C5',
  settling: 'O7',
  stopped: 'O7, H3',
  out_of_step: 'O7, B2',
  plan: 'C8',
  suspended: 'H3',
  no_effect: 'T3, O7',
};

/**
 * The rule of every transition, by event and answer. The exploration shows that the table is total, and that it holds
 * nothing which cannot happen.
 */
export const TRANSITION_RULES: Readonly<Record<GuardEventType, Rules>> = {
  prompt_started: { 'admit: new': 'C1, C2, C6', 'admit: kept': 'C2' },
  automatic_turn_requested: {
    'admit: new': 'C5, C6',
    'admit: kept': 'C4',
    'hold: turn_live': 'C4, C5',
    'hold: queued_prompt': 'C4, C5, O2',
    'hold: retry': 'C5, H2',
    'hold: background': 'C5, O4',
  },
  turn_settled: { noted: 'C6, Q2, O4', 'noted, with a notice': 'B2, N3' },
  todos_written: { noted: 'T1, T3, B8' },
  user_message_sent: { noted: 'C3, B6, O7' },
  hard_stopped: { noted: 'H1', 'stop: the reason told': 'H1' },
  turn_failed: { noted: 'H2', 'stop: turn_failed': 'H2, B2' },
  chain_ended: { noted: 'C6, H1, H2' },
  approval_mode_changed: { noted: 'C8' },
  queued_prompt_dropped: { noted: 'O2, Q2' },
  background_ended: { noted: 'O4, Q2' },
  model_stopped: {
    look: 'O1',
    run_stop_hooks: 'O0, O3',
    'stop: queued_prompt': 'O0, O2',
    'stop: nothing_unfinished': 'O0, T3',
    'stop: paused': 'O0, H2',
    'stop: exhausted': 'O0, B8',
    'stop: suspended': 'O0, H3',
  },
  tools_finished: { look: 'B3, B6', 'continue: tool_results': 'B7' },
  looked: {
    'continue: user_messages': 'O1, C3, O6',
    'continue: tool_results, user_messages': 'B6, R2',
    'continue: stop_hook_reason': 'O4, B7, B8',
    run_stop_hooks: 'O3',
    prepare: 'O4, B1, B5',
    'send: guard_prompt': 'O6, N1, N2',
    'send: stop_hook_reason, guard_prompt': 'O5, O6',
    'send: tool_results, guard_prompt': 'B3, O6',
    'send: tool_results': 'B5',
    'stop: queued_prompt': 'O2',
    'stop: background': 'O4',
    'stop: exhausted, with a notice': 'B8, B4, N4',
    'stop: nothing_unfinished': 'T3, B4, C8',
    'stop: paused': 'H2',
    'stop: suspended': 'H3',
  },
  look_failed: {
    run_stop_hooks: 'O8',
    'continue: stop_hook_reason': 'O8',
    'stop: look_failed': 'O8',
    'stop: queued_prompt': 'O2',
  },
  stop_hooks_finished: {
    look: 'O6',
    'continue: stop_hook_reason': 'O3, G3',
    'stop: look_failed': 'O8',
    'stop: nothing_unfinished': 'O0, T3',
    'stop: paused': 'O0, H2',
    'stop: suspended': 'O0, H3',
  },
  prepared: { look: 'O6' },
  prepare_failed: { 'continue: stop_hook_reason': 'O9', 'stop: prepare_failed': 'O9, H1' },
  stream_opened: { noted: 'O7, C6', 'noted, with a notice': 'B2, N3' },
};
