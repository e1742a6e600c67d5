import type { GuardEvent } from '../../src/machine.ts';

/** The events, for peers that want a handler for each. */
export const EVENT_TYPES: readonly GuardEvent['type'][] = [
  'prompt_started',
  'automatic_turn_requested',
  'turn_settled',
  'todos_written',
  'user_message_sent',
  'hard_stopped',
  'turn_failed',
  'chain_ended',
  'approval_mode_changed',
  'queued_prompt_dropped',
  'background_ended',
  'model_stopped',
  'tools_finished',
  'looked',
  'look_failed',
  'stop_hooks_finished',
  'prepared',
  'prepare_failed',
  'stream_opened',
];
