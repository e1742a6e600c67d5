import type { GuardDecision, GuardDecisionKind, GuardNotice, RequestPart } from './decisions.ts';
import type { HoldReason, IgnoreReason, StopReason } from './reasons.ts';
import type { TodoResultRefusal, TodoResultRefused } from './todo-result.ts';

/**
 * Says in one plain sentence what a decision means, for a log or a status line.
 *
 * @param decision - from `tell`, `observeTodoResult` or `step`, as it is.
 * @returns English text on one line that ends with a full stop. It holds numbers and nothing of the list, nor of the
 * guard prompt (T4).
 */
export function explain(decision: GuardDecision | TodoResultRefused): string {
  switch (decision.kind) {
    case 'look':
    case 'run_stop_hooks':
    case 'prepare':
      return QUESTION[decision.kind];
    case 'send':
      return decision.prompt === undefined
        ? `Sending ${list(decision.carries)} so that the model can finish its answer, as automatic continuation ${decision.attempt} of ${decision.maxAttempts}.`
        : `Sending automatic continuation ${decision.attempt} of ${decision.maxAttempts} with ${list(decision.carries)}.`;
    case 'continue':
      return `Going on in the host's own loop with ${list(decision.carries)}.`;
    case 'stop':
      return decision.notice === undefined
        ? `Stopping: ${STOP[decision.reason]}.`
        : `Stopping: ${STOP[decision.reason]}; ${happened(decision.notice)}.`;
    case 'admit':
      return decision.chain === 'new'
        ? 'Running the turn in a new work chain.'
        : 'Running the turn in the work chain that there is.';
    case 'hold':
      return `Holding the automatic turn back: ${HOLD[decision.reason]}.`;
    case 'noted': {
      const noted = decision.notice === undefined ? 'Noted' : `Noted: ${happened(decision.notice)}`;
      return decision.released === undefined ? `${noted}.` : `${noted}; held automatic turns can be asked for again.`;
    }
    case 'ignored':
      return `Ignored: ${IGNORED[decision.reason]}.`;
  }
}

type Question = Extract<GuardDecisionKind, 'look' | 'run_stop_hooks' | 'prepare'>;

const QUESTION = {
  look: 'Looking for messages of the user, queued prompts and background work.',
  run_stop_hooks: 'Running the stop hooks.',
  prepare: 'Preparing an automatic continuation.',
} satisfies Record<Question, string>;

const PART = {
  tool_results: 'the tool results',
  stop_hook_reason: 'the reason of the stop hook',
  guard_prompt: 'the guard prompt',
  user_messages: 'the messages of the user',
} satisfies Record<RequestPart, string>;

const STOP = {
  cancelled: 'the user cancelled',
  permission_cancelled: 'the user cancelled at a permission request',
  post_tool_use_stop: 'a hook that ran after a tool asked for it',
  loop_detected: 'the loop protection ended the turn',
  repeated_calls: 'the protection against repeated calls ended the turn',
  token_limit: 'a token limit was reached',
  stop_hook_cap: 'the stop hooks have blocked as often as they may',
  queued_prompt: 'a queued prompt comes first',
  background: 'background work of this request is still running or queued',
  exhausted: 'no automatic continuation is left until the user writes',
  look_failed: 'the last look failed, so that nothing is continued this time',
  nothing_unfinished: 'no trusted Todo item is unfinished',
  paused: 'the work waits for a retry or for its background work',
  suspended: 'the work chain is suspended until a new one begins',
  turn_failed: 'the request to the model failed, so that a retry is waited for',
  prepare_failed: 'the automatic continuation could not be prepared',
  off: 'the guard is off',
} satisfies Record<StopReason, string>;

const HOLD = {
  turn_live: 'another turn is live',
  queued_prompt: 'a queued prompt comes first',
  retry: 'the work waits for a retry',
  background: 'the work waits for its own background work',
} satisfies Record<HoldReason, string>;

const IGNORED = {
  off: 'the guard is off',
  stale_turn: 'the turn is not the live one',
  already_started: 'this turn is live already',
  settling: 'the stop of this turn is being settled already',
  stopped: 'the stop of this turn has been settled',
  out_of_step: 'it answers a question that is not open',
  plan: 'in plan mode no Todo item counts',
  suspended: 'the work chain is suspended',
  no_effect: 'it changes nothing',
  not_native: "the result is not of the host's own Todo tool",
  not_top_level: "the list is a sub-agent's",
  not_live: 'the result was replayed or restored',
  not_succeeded: 'the Todo call failed',
  unusable_id: 'the id of the turn or of the call cannot be used',
  duplicate_call: 'the Todo call was answered before',
  not_a_todo_list: 'the result is not a structured Todo list',
} satisfies Record<IgnoreReason | TodoResultRefusal, string>;

const HAPPENED = {
  continuation: ({ attempt, maxAttempts }) => `automatic continuation ${attempt} of ${maxAttempts} has begun`,
  exhaustion: ({ maxAttempts }) => `${count(maxAttempts, 'attempt')} spent`,
} satisfies Record<GuardNotice['about'], (notice: GuardNotice) => string>;

function happened(notice: GuardNotice): string {
  return `${HAPPENED[notice.about](notice)}, ${count(notice.unfinishedCount, 'item')} unfinished`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function list(parts: readonly RequestPart[]): string {
  return parts.map((part) => PART[part]).join(', then ');
}
