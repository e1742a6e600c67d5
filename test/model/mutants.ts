import type { GuardDecision } from '../../src/decisions.ts';
import type { GuardEvent } from '../../src/events.ts';
import { guardPrompt } from '../../src/prompts.ts';
import type { GuardChain, GuardOn, StopStep } from '../../src/state.ts';
import { step } from '../../src/step.ts';
import { LIVE, STALE } from './every-event.ts';
import type { Machine } from './explore.ts';

/** A machine with one fault, by the name of the invariant that has to find it. */
export interface Mutant {
  readonly invariant: string;
  readonly fault: string;
  readonly machine: Machine;
}

interface Answer {
  readonly state: GuardOn;
  readonly decision: GuardDecision;
}

/** What a fault makes of a step; `null` where it does not show. */
type Fault = (before: GuardOn, event: GuardEvent, answer: Answer) => Answer | null;

function answerOf(before: GuardOn, event: GuardEvent): Answer {
  const { state, decision } = step(before, event);
  if (state.off) throw new TypeError('state: a guard that is on must stay on (G4).');
  return { state, decision };
}

/** The real machine, but for one fault. */
export function withFault(fault: Fault): Machine {
  return (before, event) => {
    if (before.off) return step(before, event);
    const answer = answerOf(before, event);
    return fault(before, event, answer) ?? answer;
  };
}

function atStop(before: GuardOn, stop: StopStep): GuardOn {
  return { ...before, turn: before.turn && { ...before.turn, stop } };
}

function withChain(answer: Answer, chain: GuardChain): Answer {
  return { ...answer, state: { ...answer.state, chain } };
}

function withCarries(answer: Answer, change: (carries: readonly string[]) => readonly string[]): Answer {
  const { decision } = answer;
  if (decision.kind !== 'send' && decision.kind !== 'continue') return answer;
  const parts = change(decision.carries) as typeof decision.carries;
  return { ...answer, decision: { ...decision, carries: parts } };
}

const IDLE: GuardChain = { status: 'idle', spent: 0 };
const NOTED: GuardDecision = { kind: 'noted' };

function stopOf({ turn }: GuardOn): StopStep | null {
  return turn === null ? null : turn.stop;
}

function handOf(before: GuardOn): string {
  const stop = stopOf(before);
  return stop !== null && 'hand' in stop ? stop.hand : 'nothing';
}

function isAt(before: GuardOn, ...places: readonly StopStep['at'][]): boolean {
  const stop = stopOf(before);
  return stop !== null && places.includes(stop.at);
}

/** What the machine would have answered before a state that differs in one field, with that field put back. */
function asIf(before: GuardOn, change: Partial<GuardOn>, event: GuardEvent): Answer {
  const { state, decision } = answerOf({ ...before, ...change }, event);
  const restored = Object.fromEntries(Object.keys(change).map((field) => [field, before[field as keyof GuardOn]]));
  return { state: { ...state, ...restored }, decision };
}

const FAULTS: readonly (readonly [invariant: string, fault: string, Fault])[] = [
  [
    'an event that is ignored or held returns the same object',
    'copies the state of an event that it ignores',
    (before, _event, { decision }) => (decision.kind === 'ignored' ? { state: { ...before }, decision } : null),
  ],
  [
    'an event of any turn but the live one is ignored as stale',
    'takes the events of the turn before',
    (before, event) =>
      'turn' in event && event.turn === STALE && before.turn !== null
        ? answerOf(before, { ...event, turn: LIVE })
        : null,
  ],
  [
    'a turn that is live is neither started again nor held',
    'holds a turn that is requested twice',
    (before, event) =>
      event.type === 'automatic_turn_requested' && event.turn === before.turn?.id
        ? { state: before, decision: { kind: 'hold', reason: 'turn_live' } }
        : null,
  ],
  [
    'the live turn changes by admission and by settling only',
    'forgets the turn as it stops',
    (_before, _event, { state, decision }) =>
      decision.kind === 'stop' ? { state: { ...state, turn: null }, decision } : null,
  ],
  [
    'a turn that has settled is gone',
    'keeps a turn that has settled',
    (before, event, { state }) =>
      event.type === 'turn_settled' && event.turn === before.turn?.id
        ? { state: { ...state, turn: before.turn }, decision: NOTED }
        : null,
  ],
  [
    'nothing but a trusted result of the live turn arms',
    'arms for a message of the user',
    (before, event, answer) =>
      event.type === 'user_message_sent' &&
      event.turn === LIVE &&
      before.chain.status === 'idle' &&
      isAt(before, 'working')
        ? { state: withChain(answer, { status: 'armed', unfinishedCount: 1, spent: 0 }).state, decision: NOTED }
        : null,
  ],
  [
    'the newest trusted result is the count, outside plan and suspension',
    'lets no count fall to none',
    (before, event) =>
      event.type === 'todos_written' && event.turn === LIVE && event.unfinishedCount === 0
        ? { state: before, decision: { kind: 'ignored', reason: 'no_effect' } }
        : null,
  ],
  [
    'the count changes by a result, a new chain, a suspension or plan mode only',
    'drops the count with an error',
    (before, event, answer) =>
      event.type === 'turn_failed' && before.chain.status === 'armed' ? withChain(answer, IDLE) : null,
  ],
  [
    'a suspension is left by a new chain only',
    'revives a suspended chain for a message of the user',
    (before, event, answer) =>
      event.type === 'user_message_sent' && event.turn === LIVE && before.chain.status === 'suspended'
        ? { state: withChain(answer, IDLE).state, decision: NOTED }
        : null,
  ],
  [
    'a hard stop, an ended chain and a dropped prompt suspend whatever there was',
    'suspends armed chains only',
    (before, event, answer) =>
      event.type === 'hard_stopped' && before.chain.status === 'idle' ? withChain(answer, before.chain) : null,
  ],
  [
    'after trust was revoked nothing is related',
    'believes in relations after a rewind',
    (before, event) =>
      before.chain.status === 'suspended' &&
      before.chain.reason === 'rewound' &&
      event.type === 'automatic_turn_requested'
        ? asIf(before, { chain: { status: 'suspended', reason: 'token_limit' } }, event)
        : null,
  ],
  [
    'a new chain is unarmed and has spent nothing',
    'hands an exhausted budget on',
    (before, _event, answer) =>
      answer.decision.kind === 'admit' && answer.decision.chain === 'new' && 'spent' in before.chain
        ? withChain(answer, { status: 'idle', spent: before.chain.spent })
        : null,
  ],
  [
    "a user's prompt starts a new chain",
    'takes every prompt for a retry',
    (before, event) =>
      event.type === 'prompt_started' && event.origin === 'user'
        ? answerOf(before, { ...event, origin: 'retry' })
        : null,
  ],
  [
    'a retry keeps a chain only with trusted unfinished items, and supersedes nothing',
    'keeps the chain of a turn that a retry supersedes',
    (before, event) =>
      event.type === 'prompt_started' && before.turn !== null && event.turn !== LIVE
        ? answerOf({ ...before, turn: null }, event)
        : null,
  ],
  [
    'a chain that is kept keeps its count and its budget',
    'gives a retry a fresh budget',
    (_before, event, answer) =>
      event.type === 'prompt_started' && answer.state.chain.status === 'armed'
        ? withChain(answer, { ...answer.state.chain, spent: 0 })
        : null,
  ],
  [
    'an automatic turn waits for a live turn and for a queued prompt, an unrelated one for a paused chain too',
    'lets a related result pass a queued prompt',
    (before, event) =>
      event.type === 'automatic_turn_requested' && event.related
        ? answerOf({ ...before, queuedPrompt: false }, event)
        : null,
  ],
  [
    'what opens for held turns is said, and nothing else is',
    'keeps silent about what a settled turn releases',
    (_before, event, { state, decision }) =>
      event.type === 'turn_settled' && decision.kind === 'noted' && decision.released === true
        ? { state, decision: NOTED }
        : null,
  ],
  [
    'a retry pause is lifted by a retry, a related result or the user only',
    'lifts every pause when the background ends',
    (before, event) =>
      event.type === 'background_ended' && before.chain.status === 'paused'
        ? answerOf({ ...before, chain: { ...before.chain, until: 'background' } }, event)
        : null,
  ],
  [
    'at most the budget of guard streams in a stage',
    'allows one stream too many',
    (before, event) =>
      event.type === 'looked' && event.turn === LIVE
        ? asIf(before, { maxAttempts: before.maxAttempts + 1 }, event)
        : null,
  ],
  [
    'the budget is given back by user input or a new chain only',
    'refills the budget with every list',
    (_before, event, answer) =>
      event.type === 'todos_written' && answer.state.chain.status === 'armed'
        ? withChain(answer, { ...answer.state.chain, spent: 0 })
        : null,
  ],
  [
    'an attempt is spent when its stream opens, or when a turn settles without a word about it',
    'spends the attempt as it decides',
    (_before, _event, answer) =>
      answer.decision.kind === 'send' && 'spent' in answer.state.chain
        ? withChain(answer, { ...answer.state.chain, spent: answer.state.chain.spent + 1 })
        : null,
  ],
  [
    'every guard stream is announced with its number, and nothing else is',
    'announces nothing when a turn settles without a word about its send',
    (_before, event, { state, decision }) =>
      event.type === 'turn_settled' && decision.kind === 'noted' && decision.notice !== undefined
        ? { state, decision: { kind: 'noted', ...(decision.released === true && { released: true }) } }
        : null,
  ],
  [
    'a stream is taken only when one was ordered, and only once for a stop',
    'takes a stream after the stop',
    (before, event) =>
      event.type === 'stream_opened' && isAt(before, 'stopped')
        ? { state: atStop(before, { at: 'working' }), decision: NOTED }
        : null,
  ],
  [
    "a guard's send directly follows its last look, which found nothing that comes first",
    'sends at once when the send has been prepared',
    (_before, event, { state, decision }) =>
      event.type === 'prepared' && decision.kind === 'look'
        ? answerOf(state, { type: 'looked', turn: LIVE, userMessages: false, queuedPrompt: false, background: false })
        : null,
  ],
  [
    'the guard sends only when armed, or to close, with budget left, outside plan',
    'closes in plan mode too',
    (before, event) => (event.type === 'looked' && event.turn === LIVE ? asIf(before, { plan: false }, event) : null),
  ],
  [
    "a send names its attempt, and has the guard's prompt exactly while items are unfinished, the last one saying so",
    'never says that it is the last one',
    (before, _event, { state, decision }) =>
      decision.kind === 'send' && before.chain.status === 'armed'
        ? { state, decision: { ...decision, prompt: guardPrompt(before.chain.unfinishedCount, false) } }
        : null,
  ],
  [
    'no continuation of the guard or of a hook while a queued prompt has priority',
    'reads the queue before the hooks only',
    (before, event) => {
      const stop = stopOf(before);
      if (event.type !== 'looked' || event.turn !== LIVE || stop?.at !== 'looking' || stop.before === 'hooks')
        return null;
      const { state, decision } = answerOf({ ...before, queuedPrompt: false }, { ...event, queuedPrompt: false });
      return { state: { ...state, queuedPrompt: before.queuedPrompt || event.queuedPrompt }, decision };
    },
  ],
  [
    'no stop hook is asked for while a queued prompt has priority',
    'runs the hooks of an inactive chain although a prompt waits',
    (before, event) => (event.type === 'model_stopped' ? asIf(before, { queuedPrompt: false }, event) : null),
  ],
  [
    "a queued prompt's priority begins at a look, and ends when a prompt starts or the last is dropped",
    'believes the newest look about the queue',
    (before, event, { state, decision }) =>
      event.type === 'looked' && decision.kind !== 'ignored' && before.queuedPrompt
        ? { state: { ...state, queuedPrompt: event.queuedPrompt }, decision }
        : null,
  ],
  [
    'a look that finds a queued prompt gives it priority',
    'forgets the queued prompt when there is a message too',
    (before, event, { state, decision }) =>
      event.type === 'looked' && event.userMessages && decision.kind !== 'ignored'
        ? { state: { ...state, queuedPrompt: before.queuedPrompt }, decision }
        : null,
  ],
  [
    "user messages that a look drained always get their send, without a hook's reason and last",
    'carries the reason of a superseded hook',
    (before, event, answer) =>
      event.type === 'looked' && event.userMessages && handOf(before) === 'hook_reason'
        ? withCarries(answer, (carries) => ['stop_hook_reason', ...carries])
        : null,
  ],
  [
    'user input starts a fresh stage',
    'keeps the budget when a look finds a message',
    (before, event, answer) =>
      event.type === 'looked' && event.userMessages && answer.decision.kind === 'continue'
        ? withChain(answer, before.chain)
        : null,
  ],
  [
    'a request carries its parts in order',
    "puts its own words before the hook's",
    (_before, _event, answer) => withCarries(answer, (carries) => [...carries].reverse()),
  ],
  [
    'tool results in hand open the next request',
    'loses the tool results when there is a message',
    (_before, event, answer) =>
      event.type === 'looked' && event.userMessages
        ? withCarries(answer, (carries) => carries.filter((part) => part !== 'tool_results'))
        : null,
  ],
  [
    "a hook's block is never cut short, but by the user, a queued prompt, a hard stop or an error",
    'stops a coalesced hook when the preparation fails',
    (before, event, { state }) =>
      event.type === 'prepare_failed' && handOf(before) === 'hook_reason' && isAt(before, 'preparing')
        ? { state: atStop(state, { at: 'stopped' }), decision: { kind: 'stop', reason: 'prepare_failed' } }
        : null,
  ],
  [
    'a stream that carries a hook’s reason is the hook’s from then on',
    'counts the follow-up of a shared stream as its own',
    (before, event, { state, decision }) =>
      event.type === 'stream_opened' && isAt(before, 'sending')
        ? { state: atStop(state, { at: 'guard_stream' }), decision }
        : null,
  ],
  [
    "a tool loop that is the host's or a hook's goes on, whatever the guard's state",
    'cuts the tool loop of a suspended chain',
    (before, event) =>
      event.type === 'tools_finished' &&
      isAt(before, 'working') &&
      before.chain.status === 'suspended' &&
      event.turn === LIVE
        ? { state: atStop(before, { at: 'stopped' }), decision: { kind: 'stop', reason: 'suspended' } }
        : null,
  ],
  [
    'an automatic turn asks for no stop hooks',
    'runs the hooks on automatic turns',
    (before, event) => {
      if (before.turn?.automatic !== true || event.type !== 'looked' || event.turn !== LIVE) return null;
      const { state, decision } = answerOf({ ...before, turn: { ...before.turn, automatic: false } }, event);
      return { state: { ...state, turn: state.turn && { ...state.turn, automatic: true } }, decision };
    },
  ],
  [
    'on a foreground turn no stop is left to the guard before the hooks have run',
    'skips the hooks on foreground turns',
    (before, event) => {
      if (before.turn?.automatic !== false || event.type !== 'looked' || event.turn !== LIVE) return null;
      const { state, decision } = answerOf({ ...before, turn: { ...before.turn, automatic: true } }, event);
      return { state: { ...state, turn: state.turn && { ...state.turn, automatic: false } }, decision };
    },
  ],
  [
    'only an armed chain is looked at before the hooks',
    'looks although nothing is unfinished',
    (before, event) =>
      event.type === 'model_stopped' && event.turn === LIVE && before.chain.status === 'idle' && isAt(before, 'working')
        ? {
            state: atStop(before, { at: 'looking', before: 'hooks', hand: 'nothing' }),
            decision: { kind: 'look' },
          }
        : null,
  ],
  [
    'a deferral costs nothing and says nothing',
    'spends an attempt when it defers',
    (_before, _event, answer) =>
      answer.decision.kind === 'stop' && answer.decision.reason === 'background' && 'spent' in answer.state.chain
        ? withChain(answer, { ...answer.state.chain, spent: answer.state.chain.spent + 1 })
        : null,
  ],
  [
    'relevant background defers before exhaustion is said',
    'says that it is exhausted although background work lives',
    (before, event) =>
      event.type === 'looked' &&
      event.turn === LIVE &&
      before.chain.status === 'armed' &&
      before.chain.spent >= before.maxAttempts
        ? answerOf(before, { ...event, background: false })
        : null,
  ],
  [
    'a look that failed spends and suspends nothing',
    'suspends the chain when a look fails',
    (_before, event, answer) =>
      event.type === 'look_failed' && answer.decision.kind !== 'ignored'
        ? withChain(answer, { status: 'suspended', reason: 'prepare_failed' })
        : null,
  ],
  [
    'the guard sits out a stop whose look failed',
    'takes a look that failed for one that found nothing',
    (before, event) =>
      event.type === 'look_failed'
        ? answerOf(before, {
            type: 'looked',
            turn: event.turn,
            userMessages: false,
            queuedPrompt: false,
            background: false,
          })
        : null,
  ],
  [
    'a preparation that failed suspends the chain',
    'waits for another chance when the preparation fails',
    (before, event, answer) =>
      event.type === 'prepare_failed' && answer.decision.kind !== 'ignored' ? withChain(answer, before.chain) : null,
  ],
  [
    'exhaustion is said once a stage, when the budget is spent and items remain',
    'forgets that it has said so',
    (before, event, answer) =>
      event.type === 'looked' && answer.state.chain.status === 'exhausted' ? withChain(answer, before.chain) : null,
  ],
  [
    'an exhausted chain says so, and is left by user input, a new chain or a suspension only',
    'leaves exhaustion when the list is completed',
    (before, event, answer) =>
      event.type === 'todos_written' && answer.state.chain.status === 'exhausted' && event.unfinishedCount === 0
        ? withChain(answer, { status: 'idle', spent: before.maxAttempts })
        : null,
  ],
  [
    'in plan mode nothing is unfinished, so nothing continues or holds back for the chain',
    'arms in plan mode',
    (before, event) => (event.type === 'todos_written' && before.plan ? asIf(before, { plan: false }, event) : null),
  ],
  [
    'entering plan mode keeps the spent attempts, a suspension and the priority of a queued prompt',
    'gives the budget back in plan mode',
    (_before, event, answer) =>
      event.type === 'approval_mode_changed' && answer.state.chain.status === 'idle' && answer.state.plan
        ? withChain(answer, IDLE)
        : null,
  ],
  [
    'a change between other modes keeps everything',
    'begins a new chain with every mode',
    (_before, event, answer) =>
      event.type === 'approval_mode_changed' && event.mode === 'yolo'
        ? { ...withChain(answer, IDLE), decision: NOTED }
        : null,
  ],
  [
    'a repeated stop signal changes nothing while the first is being settled or has been',
    'starts over at a second stop signal',
    (before, event) =>
      event.type === 'model_stopped' && event.turn === LIVE && isAt(before, 'looking', 'preparing', 'sending')
        ? answerOf(atStop(before, { at: 'working' }), event)
        : null,
  ],
  [
    'a cancel or an error ends an open dialogue at once',
    'takes note of a cancel and goes on',
    (before, event, { state }) =>
      event.type === 'hard_stopped' && isAt(before, 'preparing') && event.turn === LIVE
        ? { state: { ...state, turn: before.turn }, decision: NOTED }
        : null,
  ],
  [
    'a turn that was told to stop is asked for nothing more, until the user speaks',
    'opens a new dialogue after a stop (F07)',
    (before, event) =>
      event.type === 'model_stopped' && event.turn === LIVE && isAt(before, 'stopped')
        ? answerOf(atStop(before, { at: 'working' }), event)
        : null,
  ],
  [
    'a chain waits for background work only between turns',
    'pauses while the turn is live',
    (before, _event, answer) =>
      answer.decision.kind === 'stop' && answer.decision.reason === 'background' && before.chain.status === 'armed'
        ? withChain(answer, { ...before.chain, status: 'paused', until: 'background' })
        : null,
  ],
  [
    'no queued prompt waits while the guard prepares or sends',
    'prepares although a prompt waits',
    (before, event) => {
      if (event.type !== 'looked' || event.turn !== LIVE || event.userMessages || !event.queuedPrompt) return null;
      const { state, decision } = answerOf(before, { ...event, queuedPrompt: false });
      return decision.kind === 'prepare' ? { state: { ...state, queuedPrompt: true }, decision } : null;
    },
  ],
];

/** One machine for each invariant of a transition. */
export const MUTANTS: readonly Mutant[] = FAULTS.map(([invariant, fault, change]) => ({
  invariant,
  fault,
  machine: withFault(change),
}));

/** A queued prompt that nobody can drop holds automatic turns for ever. */
export const NEVER_RELEASES = withFault((before, event) =>
  event.type === 'queued_prompt_dropped' ? { state: before, decision: { kind: 'ignored', reason: 'no_effect' } } : null,
);

/** Prepares again and again instead of sending: its dialogue has no end. */
export const NEVER_SENDS = withFault((before, _event, { decision }) =>
  decision.kind === 'send'
    ? { state: atStop(before, { at: 'preparing', hand: 'nothing' }), decision: { kind: 'prepare' } }
    : null,
);
