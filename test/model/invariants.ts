import type { GuardDecision } from '../../src/decisions.ts';
import type { GuardEvent } from '../../src/events.ts';
import { holds } from '../../src/holds.ts';
import type { GuardChain, GuardOn } from '../../src/state.ts';
import { FRESH, LIVE } from './every-event.ts';
import type { Memory } from './memory.ts';

/** One step of the exploration: before, the event, the answer, after. `then` has the onlooker's memory after the step. */
export interface Transition {
  readonly before: GuardOn;
  readonly remembered: Memory;
  readonly event: GuardEvent;
  readonly decision: GuardDecision;
  readonly after: GuardOn;
  readonly then: Memory;
}

/** What must hold for every transition that can be reached. `holds` answers for one. */
export interface Invariant {
  readonly name: string;
  readonly rules: string;
  readonly holds: (transition: Transition) => boolean;
}

const ORDER = ['tool_results', 'stop_hook_reason', 'guard_prompt', 'user_messages'];

function spentOf(chain: GuardChain): number {
  return 'spent' in chain ? chain.spent : 0;
}

function countOf(chain: GuardChain): number {
  return 'unfinishedCount' in chain ? chain.unfinishedCount : 0;
}

function startsChain({ decision }: Transition): boolean {
  return decision.kind === 'admit' && decision.chain === 'new';
}

/** The user's own words went into a request, by the machine's order or by the host's own loop. */
function isUserInput({ event, decision }: Transition): boolean {
  return (
    (decision.kind === 'continue' && decision.carries.includes('user_messages')) ||
    (event.type === 'user_message_sent' && decision.kind === 'noted')
  );
}

function handOf({ turn }: GuardOn): string {
  return turn !== null && 'hand' in turn.stop ? turn.stop.hand : 'nothing';
}

function isSilent({ decision }: Transition): boolean {
  return decision.kind === 'ignored' || decision.kind === 'hold';
}

function carries({ decision }: Transition): readonly string[] {
  return decision.kind === 'send' || decision.kind === 'continue' ? decision.carries : [];
}

function noticeOf({ decision }: Transition): { about: string; attempt: number; unfinishedCount: number } | undefined {
  return decision.kind === 'stop' || decision.kind === 'noted' ? decision.notice : undefined;
}

/** The invariants of every transition, each by the rules that it shows. */
export const INVARIANTS: readonly Invariant[] = [
  {
    name: 'an event that is ignored or held returns the same object',
    rules: 'T6, G3',
    holds: (t) => !isSilent(t) || t.after === t.before,
  },
  {
    name: 'an event of any turn but the live one is ignored as stale',
    rules: 'T6',
    holds: ({ event, decision }) =>
      !('turn' in event) ||
      event.turn === LIVE ||
      event.turn === FRESH ||
      (decision.kind === 'ignored' && decision.reason === 'stale_turn'),
  },
  {
    name: 'a turn that is live is neither started again nor held',
    rules: 'C1, C5',
    holds: ({ before, event, decision }) =>
      (event.type !== 'prompt_started' && event.type !== 'automatic_turn_requested') ||
      event.turn !== before.turn?.id ||
      (decision.kind === 'ignored' && decision.reason === 'already_started'),
  },
  {
    name: 'the live turn changes by admission and by settling only',
    rules: 'C1, T6',
    holds: ({ before, event, decision, after }) =>
      before.turn?.id === after.turn?.id || decision.kind === 'admit' || event.type === 'turn_settled',
  },
  {
    name: 'a turn that has settled is gone',
    rules: 'C6',
    holds: ({ event, decision, after }) =>
      event.type !== 'turn_settled' || decision.kind === 'ignored' || after.turn === null,
  },
  {
    name: 'nothing but a trusted result of the live turn arms',
    rules: 'T1, T3, T6',
    holds: ({ before, event, after }) =>
      countOf(after.chain) <= countOf(before.chain) ||
      (event.type === 'todos_written' && event.turn === LIVE && !before.plan && event.unfinishedCount > 0),
  },
  {
    name: 'the newest trusted result is the count, outside plan and suspension',
    rules: 'T3',
    holds: ({ before, event, after }) =>
      event.type !== 'todos_written' ||
      event.turn !== before.turn?.id ||
      before.plan ||
      before.chain.status === 'suspended' ||
      countOf(after.chain) === event.unfinishedCount,
  },
  {
    name: 'the count changes by a result, a new chain, a suspension or plan mode only',
    rules: 'T3, C1, C8',
    holds: (t) =>
      countOf(t.after.chain) === countOf(t.before.chain) ||
      t.event.type === 'todos_written' ||
      startsChain(t) ||
      t.after.chain.status === 'suspended' ||
      t.after.plan,
  },
  {
    name: 'a suspension is left by a new chain only',
    rules: 'H1, H3, C3',
    holds: (t) => t.before.chain.status !== 'suspended' || t.after.chain.status === 'suspended' || startsChain(t),
  },
  {
    name: 'a hard stop, an ended chain and a dropped prompt suspend whatever there was',
    rules: 'H1, C6, O2',
    holds: ({ event, decision, after }) =>
      decision.kind === 'ignored' ||
      (event.type !== 'hard_stopped' && event.type !== 'chain_ended' && event.type !== 'queued_prompt_dropped') ||
      after.chain.status === 'suspended',
  },
  {
    name: 'after trust was revoked nothing is related',
    rules: 'C4, C6',
    holds: (t) =>
      t.event.type !== 'automatic_turn_requested' ||
      t.before.chain.status !== 'suspended' ||
      !['rewound', 'history_restored', 'branched', 'directory_changed', 'session_replaced', 'retry_abandoned'].includes(
        t.before.chain.reason,
      ) ||
      t.decision.kind !== 'admit' ||
      startsChain(t),
  },
  {
    name: 'a new chain is unarmed and has spent nothing',
    rules: 'C1, C5',
    holds: (t) => !startsChain(t) || (t.after.chain.status === 'idle' && t.after.chain.spent === 0),
  },
  {
    name: "a user's prompt starts a new chain",
    rules: 'C1',
    holds: (t) =>
      t.event.type !== 'prompt_started' || t.event.origin !== 'user' || t.decision.kind !== 'admit' || startsChain(t),
  },
  {
    name: 'a retry keeps a chain only with trusted unfinished items, and supersedes nothing',
    rules: 'C2',
    holds: (t) =>
      t.event.type !== 'prompt_started' ||
      t.decision.kind !== 'admit' ||
      startsChain(t) ===
        (t.event.origin === 'user' || t.before.turn !== null || !['armed', 'paused'].includes(t.before.chain.status)),
  },
  {
    name: 'a chain that is kept keeps its count and its budget',
    rules: 'C2, C4',
    holds: ({ before, decision, after }) =>
      decision.kind !== 'admit' ||
      decision.chain === 'new' ||
      (countOf(after.chain) === countOf(before.chain) && spentOf(after.chain) === spentOf(before.chain)),
  },
  {
    name: 'an automatic turn waits for a live turn and for a queued prompt, an unrelated one for a paused chain too',
    rules: 'C4, C5',
    holds: ({ before, event, decision }) =>
      event.type !== 'automatic_turn_requested' ||
      event.turn === before.turn?.id ||
      (decision.kind === 'hold') ===
        (before.turn !== null || before.queuedPrompt || (!event.related && before.chain.status === 'paused')),
  },
  {
    name: 'what opens for held turns is said, and nothing else is',
    rules: 'Q2',
    holds: ({ before, decision, after }) =>
      [true, false].some((related) => holds(before, related) !== null && holds(after, related) === null) ===
      (decision.kind === 'noted' && decision.released === true),
  },
  {
    name: 'a retry pause is lifted by a retry, a related result or the user only',
    rules: 'H2, C3, C4',
    holds: (t) =>
      t.before.chain.status !== 'paused' ||
      t.before.chain.until !== 'retry' ||
      t.after.chain.status !== 'armed' ||
      t.event.type === 'prompt_started' ||
      t.event.type === 'automatic_turn_requested' ||
      isUserInput(t),
  },
  {
    name: 'at most the budget of guard streams in a stage',
    rules: 'B1, B3',
    holds: ({ before, then }) => then.guardStreams <= before.maxAttempts,
  },
  {
    name: 'the budget is given back by user input or a new chain only',
    rules: 'B1, B2, C3',
    holds: (t) =>
      !('spent' in t.before.chain) ||
      !('spent' in t.after.chain) ||
      t.after.chain.spent >= t.before.chain.spent ||
      startsChain(t) ||
      isUserInput(t),
  },
  {
    name: 'an attempt is spent when its stream opens, or when a turn settles without a word about it',
    rules: 'B2',
    holds: ({ before, remembered, event, decision, after }) => {
      const rise = spentOf(after.chain) - spentOf(before.chain);
      const opens =
        decision.kind === 'noted' &&
        (event.type === 'stream_opened' || event.type === 'turn_settled') &&
        (remembered.ordered === 'guard' || remembered.ordered === 'guard_with_hook') &&
        'spent' in before.chain;
      return opens ? rise === 1 : rise <= 0;
    },
  },
  {
    name: 'every guard stream is announced with its number, and nothing else is',
    rules: 'N3, B2',
    holds: (t) => {
      const notice = noticeOf(t);
      const rise = spentOf(t.after.chain) - spentOf(t.before.chain);
      return notice?.about === 'continuation'
        ? rise === 1 && notice.attempt === spentOf(t.after.chain) && notice.unfinishedCount === countOf(t.after.chain)
        : rise !== 1;
    },
  },
  {
    name: 'a stream is taken only when one was ordered, and only once for a stop',
    rules: 'O7, B2',
    holds: ({ remembered, event, decision, then }) =>
      event.type !== 'stream_opened' ||
      decision.kind === 'ignored' ||
      (remembered.ordered !== null && then.opened <= 1),
  },
  {
    name: "a guard's send directly follows its last look, which found nothing that comes first",
    rules: 'O6, O4',
    holds: ({ before, event, decision }) =>
      decision.kind !== 'send' ||
      (event.type === 'looked' &&
        !event.userMessages &&
        !event.queuedPrompt &&
        (!event.background || before.chain.status === 'idle') &&
        before.turn?.stop.at === 'looking' &&
        before.turn.stop.before === 'send'),
  },
  {
    name: 'the guard sends only when armed, or to close, with budget left, outside plan',
    rules: 'O4, B5, C8',
    holds: (t) =>
      t.decision.kind !== 'send' ||
      (!t.before.plan &&
        spentOf(t.before.chain) < t.before.maxAttempts &&
        (t.before.chain.status === 'armed' ||
          (t.before.chain.status === 'idle' && handOf(t.before) === 'tool_results'))),
  },
  {
    name: "a send names its attempt, and has the guard's prompt exactly while items are unfinished, the last one saying so",
    rules: 'N1, N2, B3, B5',
    holds: (t) =>
      t.decision.kind !== 'send' ||
      (t.decision.attempt === spentOf(t.before.chain) + 1 &&
        t.decision.carries.includes('guard_prompt') === countOf(t.before.chain) > 0 &&
        (t.decision.prompt !== undefined) === countOf(t.before.chain) > 0 &&
        (t.decision.prompt?.includes('final automatic continuation') ?? t.decision.attempt === t.before.maxAttempts) ===
          (t.decision.attempt === t.before.maxAttempts)),
  },
  {
    name: 'no continuation of the guard or of a hook while a queued prompt has priority',
    rules: 'O2, O0',
    holds: (t) =>
      !t.after.queuedPrompt ||
      (t.decision.kind !== 'send' && t.decision.kind !== 'prepare' && !carries(t).includes('stop_hook_reason')),
  },
  {
    name: 'no stop hook is asked for while a queued prompt has priority',
    rules: 'O0, O2',
    holds: ({ decision, after }) => decision.kind !== 'run_stop_hooks' || !after.queuedPrompt,
  },
  {
    name: "a queued prompt's priority begins at a look, and ends when a prompt starts or the last is dropped",
    rules: 'O2, C3',
    holds: ({ before, event, decision, after }) =>
      before.queuedPrompt === after.queuedPrompt ||
      (after.queuedPrompt
        ? event.type === 'looked' && event.queuedPrompt
        : decision.kind === 'admit' || event.type === 'queued_prompt_dropped') ||
      event.type === 'prompt_started',
  },
  {
    name: 'a look that finds a queued prompt gives it priority',
    rules: 'O2',
    holds: ({ event, decision, after }) =>
      event.type !== 'looked' || !event.queuedPrompt || decision.kind === 'ignored' || after.queuedPrompt,
  },
  {
    name: "user messages that a look drained always get their send, without a hook's reason and last",
    rules: 'O1, O6, B6, R2',
    holds: (t) =>
      t.event.type !== 'looked' ||
      !t.event.userMessages ||
      t.decision.kind === 'ignored' ||
      (carries(t).at(-1) === 'user_messages' && !carries(t).includes('stop_hook_reason')),
  },
  {
    name: 'user input starts a fresh stage',
    rules: 'C3, O1',
    holds: (t) =>
      !isUserInput(t) ||
      t.after.chain.status === 'suspended' ||
      (spentOf(t.after.chain) === 0 && t.after.chain.status === (countOf(t.before.chain) > 0 ? 'armed' : 'idle')),
  },
  {
    name: 'a request carries its parts in order',
    rules: 'R2, O5',
    holds: (t) => {
      const places = carries(t).map((part) => ORDER.indexOf(part));
      return places.every((place, index) => place > (places[index - 1] ?? -1));
    },
  },
  {
    name: 'tool results in hand open the next request',
    rules: 'B3, B6',
    holds: (t) => handOf(t.before) !== 'tool_results' || carries(t).length === 0 || carries(t)[0] === 'tool_results',
  },
  {
    name: "a hook's block is never cut short, but by the user, a queued prompt, a hard stop or an error",
    rules: 'B7, O8, O9',
    holds: (t) => {
      const blocked =
        (t.event.type === 'stop_hooks_finished' && t.event.blocked && t.before.turn?.stop.at === 'hooks') ||
        handOf(t.before) === 'hook_reason';
      return (
        !blocked ||
        t.decision.kind !== 'stop' ||
        t.after.queuedPrompt ||
        t.event.type === 'hard_stopped' ||
        t.event.type === 'turn_failed'
      );
    },
  },
  {
    name: 'a stream that carries a hook’s reason is the hook’s from then on',
    rules: 'B7',
    holds: ({ remembered, event, decision, after }) =>
      event.type !== 'stream_opened' ||
      decision.kind === 'ignored' ||
      (after.turn?.stop.at === 'guard_stream') === (remembered.ordered === 'guard'),
  },
  {
    name: "a tool loop that is the host's or a hook's goes on, whatever the guard's state",
    rules: 'B7, G3',
    holds: ({ before, event, decision }) =>
      event.type !== 'tools_finished' ||
      event.turn !== before.turn?.id ||
      before.turn.stop.at !== 'working' ||
      (decision.kind === 'continue' && decision.carries.join() === 'tool_results'),
  },
  {
    name: 'an automatic turn asks for no stop hooks',
    rules: 'O3',
    holds: ({ decision, after }) => decision.kind !== 'run_stop_hooks' || after.turn?.automatic === false,
  },
  {
    name: 'on a foreground turn no stop is left to the guard before the hooks have run',
    rules: 'O3, O8',
    holds: ({ before, event, decision, after }) => {
      const atFirst =
        event.type === 'model_stopped' || (before.turn?.stop.at === 'looking' && before.turn.stop.before === 'hooks');
      return (
        !atFirst ||
        before.turn?.automatic !== false ||
        (decision.kind !== 'prepare' && (decision.kind !== 'stop' || after.queuedPrompt || isInterruption(event)))
      );
    },
  },
  {
    name: 'only an armed chain is looked at before the hooks',
    rules: 'O0',
    holds: ({ before, event, decision }) =>
      event.type !== 'model_stopped' ||
      (decision.kind === 'look') === (before.chain.status === 'armed' && isFree(before, event.turn)),
  },
  {
    name: 'a deferral costs nothing and says nothing',
    rules: 'O4',
    holds: ({ before, decision, after }) =>
      decision.kind !== 'stop' ||
      decision.reason !== 'background' ||
      (after.chain === before.chain && decision.notice === undefined),
  },
  {
    name: 'relevant background defers before exhaustion is said',
    rules: 'O4',
    holds: ({ event, decision }) =>
      event.type !== 'looked' || !event.background || decision.kind !== 'stop' || decision.reason !== 'exhausted',
  },
  {
    name: 'a look that failed spends and suspends nothing',
    rules: 'O8',
    holds: ({ before, event, after }) => event.type !== 'look_failed' || after.chain === before.chain,
  },
  {
    name: 'the guard sits out a stop whose look failed',
    rules: 'O8',
    holds: ({ event, decision }) =>
      event.type !== 'look_failed' ||
      (decision.kind !== 'send' && decision.kind !== 'prepare' && decision.kind !== 'look'),
  },
  {
    name: 'a preparation that failed suspends the chain',
    rules: 'O9, H1',
    holds: ({ event, decision, after }) =>
      event.type !== 'prepare_failed' || decision.kind === 'ignored' || after.chain.status === 'suspended',
  },
  {
    name: 'exhaustion is said once a stage, when the budget is spent and items remain',
    rules: 'B8, N4',
    holds: (t) => {
      if (noticeOf(t)?.about !== 'exhaustion') return true;
      return (
        !t.remembered.exhaustionSaid &&
        spentOf(t.before.chain) === t.before.maxAttempts &&
        countOf(t.before.chain) > 0 &&
        t.decision.kind === 'stop' &&
        t.after.chain.status === 'exhausted'
      );
    },
  },
  {
    name: 'an exhausted chain says so, and is left by user input, a new chain or a suspension only',
    rules: 'B8',
    holds: (t) =>
      t.before.chain.status === 'exhausted'
        ? t.after.chain.status === 'exhausted' ||
          t.after.chain.status === 'suspended' ||
          startsChain(t) ||
          isUserInput(t)
        : t.after.chain.status !== 'exhausted' || noticeOf(t)?.about === 'exhaustion',
  },
  {
    name: 'in plan mode nothing is unfinished, so nothing continues or holds back for the chain',
    rules: 'C8, G2',
    holds: ({ after }) => !after.plan || countOf(after.chain) === 0,
  },
  {
    name: 'entering plan mode keeps the spent attempts, a suspension and the priority of a queued prompt',
    rules: 'C8',
    holds: ({ before, event, after }) =>
      event.type !== 'approval_mode_changed' ||
      (spentOf(after.chain) === spentOf(before.chain) &&
        after.queuedPrompt === before.queuedPrompt &&
        (after.chain.status === 'suspended') === (before.chain.status === 'suspended') &&
        (after.chain.status === 'exhausted') === (before.chain.status === 'exhausted')),
  },
  {
    name: 'a change between other modes keeps everything',
    rules: 'C7',
    holds: ({ before, event, after }) =>
      event.type !== 'approval_mode_changed' || before.plan || event.mode === 'plan' || after === before,
  },
  {
    name: 'a repeated stop signal changes nothing while the first is being settled or has been',
    rules: 'O7',
    holds: ({ before, event, decision }) =>
      (event.type !== 'model_stopped' && event.type !== 'tools_finished') ||
      isFree(before, event.turn) ||
      decision.kind === 'ignored',
  },
  {
    name: 'a cancel or an error ends an open dialogue at once',
    rules: 'H1, H2',
    holds: ({ before, event, decision, after }) =>
      !isInterruption(event) ||
      before.turn?.id !== event.turn ||
      ['working', 'guard_stream', 'stopped'].includes(before.turn.stop.at) ||
      (decision.kind === 'stop' && after.turn?.stop.at === 'stopped'),
  },
  {
    name: 'a turn that was told to stop is asked for nothing more, until the user speaks',
    rules: 'O7, H3',
    holds: (t) => !t.remembered.toldToStop || t.decision.kind === 'noted' || t.decision.kind === 'admit' || isSilent(t),
  },
  {
    name: 'a chain waits for background work only between turns',
    rules: 'O4, Q1',
    holds: ({ after }) => after.chain.status !== 'paused' || after.chain.until !== 'background' || after.turn === null,
  },
  {
    name: 'no queued prompt waits while the guard prepares or sends',
    rules: 'O2, O6',
    holds: ({ after }) =>
      !after.queuedPrompt || (after.turn?.stop.at !== 'preparing' && after.turn?.stop.at !== 'sending'),
  },
];

function isInterruption(event: GuardEvent): event is Extract<GuardEvent, { type: 'hard_stopped' | 'turn_failed' }> {
  return event.type === 'hard_stopped' || event.type === 'turn_failed';
}

/** A stop signal of this turn would be taken. */
function isFree({ turn }: GuardOn, id: string): boolean {
  return turn?.id === id && (turn.stop.at === 'working' || turn.stop.at === 'guard_stream');
}
