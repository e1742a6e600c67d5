import type {
  GuardDecision,
  GuardState,
  HoldReason,
  IgnoreReason,
  StopReason,
  TodoResultRefusal,
  TodoResultRefused,
} from 'todo-stop-guard';
import type { ToldType } from '../host/surface.ts';

/**
 * One line about a decision of the guard: what it was told, what it decided and why, in words for people.
 *
 * @returns `null` for bookkeeping that decides nothing: a plain yes, the host's own tool loop, a guard that is off.
 */
export function narrate(told: ToldType, decision: GuardDecision | TodoResultRefused, state: GuardState): string | null {
  const why = explain(told, decision, state);
  if (why === null) return null;
  const reason = 'reason' in decision ? ` (${decision.reason})` : '';
  return `${told} → ${decision.kind}${reason}: ${why}`;
}

function explain(told: ToldType, decision: GuardDecision | TodoResultRefused, state: GuardState): string | null {
  if (state.off) return null;
  switch (decision.kind) {
    case 'look':
      return `${LOOKS[told] ?? 'time has passed'}; did you say anything, does a prompt wait, does something run?`;
    case 'run_stop_hooks':
      return 'the stop hooks have the first word';
    case 'prepare':
      return `${openItems(state)}, so the model should go on; the request is made ready`;
    case 'send':
      return decision.prompt === undefined
        ? 'all is done; the model may read its last results and close'
        : `still nothing came in; automatic continuation ${decision.attempt} of ${decision.maxAttempts}`;
    case 'continue':
      return decision.carries.includes('user_messages')
        ? 'you come first; the automatic continuations begin anew'
        : decision.carries.includes('stop_hook_reason')
          ? 'a stop hook wants more'
          : null;
    case 'stop':
      return STOPS[decision.reason];
    case 'admit':
      return decision.chain === 'new'
        ? 'a task of its own; it inherits nothing'
        : 'it belongs to the task, and goes on with it';
    case 'hold':
      return HOLDS[decision.reason];
    case 'noted':
      // That a turn is over lets others run: nobody needs to be told.
      if (decision.released === true && told !== 'turn_settled') return 'what had to wait may run now';
      return told === 'todo_result' || told === 'stream_opened' ? noted(told, decision, state) : null;
    case 'ignored':
      return IGNORED[decision.reason];
  }
}

function noted(
  told: 'todo_result' | 'stream_opened',
  { notice }: Extract<GuardDecision, { kind: 'noted' }>,
  state: GuardState,
): string | null {
  if (told === 'todo_result') return `${openItems(state)} now`;
  return notice === undefined ? null : 'the model answers; here the attempt is spent';
}

function openItems(state: GuardState): string {
  if (state.off || !('unfinishedCount' in state.chain)) return 'nothing is open';
  const { unfinishedCount } = state.chain;
  return unfinishedCount === 1 ? '1 item is open' : `${unfinishedCount} items are open`;
}

/** Why the guard looks. */
const LOOKS: { readonly [Told in ToldType]?: string } = {
  model_stopped: 'the model stopped with items open',
  tools_finished: 'the tools of an automatic continuation have run',
  stop_hooks_finished: 'the hooks have taken time',
  prepared: 'getting ready has taken time',
};

const STOPS: { readonly [Reason in StopReason]: string } = {
  cancelled: 'you cancelled',
  permission_cancelled: 'you cancelled at a permission request',
  post_tool_use_stop: 'a post-tool hook ended the turn',
  loop_detected: 'the model repeats itself',
  repeated_calls: 'the model repeats itself',
  token_limit: 'the request is too long',
  stop_hook_cap: 'the stop hooks have blocked too often',
  queued_prompt: 'your next prompt comes first',
  background: 'work of this task still runs in the background; its result will go on with it, and no attempt is spent',
  exhausted: 'the automatic continuations are used up',
  look_failed: 'nobody could say whether you want something; the guard sits this one out',
  nothing_unfinished: 'nothing is open; the turn may end',
  paused: 'the task waits for /retry or /continue',
  suspended: 'this task is not continued any more',
  turn_failed: 'the model could not be reached; /retry or /continue goes on',
  prepare_failed: 'the request could not be made ready',
  off: 'the guard is off',
};

const HOLDS: { readonly [Reason in HoldReason]: string } = {
  turn_live: 'another turn runs',
  queued_prompt: 'your next prompt comes first',
  retry: 'the task waits for /retry or /continue, and this is not part of it',
  background: 'the task waits for its own background work, and this is not part of it',
};

/** `null`: not worth a line. */
const IGNORED: { readonly [Reason in IgnoreReason | TodoResultRefusal]: string | null } = {
  off: null,
  stale_turn: 'it belongs to a turn that is over',
  already_started: null,
  settling: 'this stop is being settled already',
  stopped: null,
  out_of_step: null,
  plan: 'in plan mode nothing is continued',
  suspended: 'this task is not continued any more',
  no_effect: null,
  not_native: "it is not the host's own tool",
  not_top_level: 'a sub-agent has its own list',
  not_live: 'it did not happen just now',
  not_succeeded: 'the call failed',
  unusable_id: 'the call has no proper id',
  duplicate_call: 'the call was answered before',
  not_a_todo_list: 'it is no Todo list',
};
