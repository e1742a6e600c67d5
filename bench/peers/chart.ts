/**
 * The machine as a statechart: one state for each step of the stop dialogue, ordered rows with guards and reducers, as the documentation
 * of XState and of robot3 has it. The two ports are made of it. It holds what the recorded session needs.
 *
 * @module
 */
import type { GuardChain, GuardDecision, GuardEvent, Hand, StopStep } from '../../src/machine.ts';
import * as decide from '../../src/fixed-decisions.ts';
import { guardPrompt } from '../../src/prompts.ts';

export type ChartState = 'none' | StopStep['at'];

/** The extended state; the last decision stands in it. */
export interface ChartContext {
  readonly maxAttempts: number;
  readonly chain: GuardChain;
  readonly turn: string | null;
  readonly automatic: boolean;
  readonly before: 'hooks' | 'verdict' | 'send';
  readonly hand: Hand;
  readonly queuedPrompt: boolean;
  readonly decision: GuardDecision;
}

type EventType = GuardEvent['type'];
type EventOf<Type extends EventType> = Extract<GuardEvent, { type: Type }>;

/** In a state, the first row of an event whose guard holds is taken. Without `to` the state stays. */
export interface ChartRow {
  readonly event: EventType;
  readonly when?: (context: ChartContext, event: GuardEvent) => boolean;
  readonly to?: ChartState;
  readonly then: (context: ChartContext, event: GuardEvent) => ChartContext;
}

export const INITIAL: ChartContext = {
  maxAttempts: 2,
  chain: { status: 'idle', spent: 0 },
  turn: null,
  automatic: false,
  before: 'hooks',
  hand: 'nothing',
  queuedPrompt: false,
  decision: decide.NOTED,
};

function row<Type extends EventType>(
  event: Type,
  to: ChartState | undefined,
  then: (context: ChartContext, event: EventOf<Type>) => Partial<ChartContext>,
  when?: (context: ChartContext, event: EventOf<Type>) => boolean,
): ChartRow {
  // A row is only asked about events of its own type.
  return {
    event,
    ...(to !== undefined && { to }),
    ...(when !== undefined && { when: (context, given) => when(context, given as EventOf<Type>) }),
    then: (context, given) => ({ ...context, ...then(context, given as EventOf<Type>) }),
  };
}

const say = (decision: GuardDecision) => () => ({ decision });
const isArmed = ({ chain }: ChartContext): boolean => chain.status === 'armed';
const isSameTurn = ({ turn }: ChartContext, event: { readonly turn: string }): boolean => turn === event.turn;

// ---- rows of every state

const turnRows: ChartRow[] = [
  row('prompt_started', undefined, say(decide.IGNORED.already_started), isSameTurn),
  row(
    'prompt_started',
    'working',
    (context, { turn }) => begin(context, turn, false, true),
    ({ turn, chain }, { origin }) =>
      origin !== 'user' && turn === null && (chain.status === 'armed' || chain.status === 'paused'),
  ),
  row('prompt_started', 'working', (context, { turn }) => begin(context, turn, false, false)),
  row('automatic_turn_requested', undefined, say(decide.IGNORED.already_started), isSameTurn),
  row('automatic_turn_requested', undefined, say(decide.HOLD.turn_live), ({ turn }) => turn !== null),
  row('automatic_turn_requested', undefined, say(decide.HOLD.queued_prompt), ({ queuedPrompt }) => queuedPrompt),
  row(
    'automatic_turn_requested',
    undefined,
    ({ chain }) => ({ decision: decide.HOLD[chain.status === 'paused' ? chain.until : 'background'] }),
    ({ chain }, { related }) => chain.status === 'paused' && !related,
  ),
  row('automatic_turn_requested', 'working', (context, { turn, related }) => begin(context, turn, true, related)),
  row(
    'queued_prompt_dropped',
    undefined,
    ({ chain, turn }) => ({
      queuedPrompt: false,
      chain: suspend(chain, 'queued_prompt_dropped'),
      decision: turn === null ? RELEASED : decide.NOTED,
    }),
    ({ queuedPrompt }) => queuedPrompt,
  ),
  row('queued_prompt_dropped', undefined, say(decide.IGNORED.no_effect)),
];

const IN_TURN = [
  'turn_settled',
  'todos_written',
  'user_message_sent',
  'hard_stopped',
  'turn_failed',
  'model_stopped',
  'tools_finished',
  'looked',
  'stop_hooks_finished',
  'prepared',
  'stream_opened',
] as const;

const staleRows: ChartRow[] = IN_TURN.map((type) =>
  row(type, undefined, say(decide.IGNORED.stale_turn), ({ turn }, event) => turn !== event.turn),
);

const liveRows: ChartRow[] = [
  row('todos_written', undefined, say(decide.IGNORED.suspended), ({ chain }) => chain.status === 'suspended'),
  row(
    'todos_written',
    undefined,
    say(decide.IGNORED.no_effect),
    ({ chain }, { unfinishedCount }) => countOf(chain) === unfinishedCount,
  ),
  row('todos_written', undefined, ({ chain }, { unfinishedCount }) => ({
    chain: recount(chain, unfinishedCount),
    decision: decide.NOTED,
  })),
  row(
    'user_message_sent',
    undefined,
    ({ chain }) => ({ chain: refresh(chain), decision: decide.NOTED }),
    ({ chain }) => chain !== refresh(chain),
  ),
  row('user_message_sent', undefined, say(decide.IGNORED.no_effect)),
  row('hard_stopped', undefined, ({ chain }, { reason }) => ({
    chain: suspend(chain, reason),
    decision: decide.NOTED,
  })),
  row('turn_failed', undefined, ({ chain }) => ({ chain: pause(chain, 'retry'), decision: decide.NOTED })),
  row('turn_settled', 'none', ({ chain, queuedPrompt }, { background }) => ({
    turn: null,
    chain: background ? pause(chain, 'background') : chain,
    decision: queuedPrompt ? decide.NOTED : RELEASED,
  })),
];

/** A second signal for a stop that is being settled. */
const settlingRows: ChartRow[] = [
  row('model_stopped', undefined, say(decide.IGNORED.settling)),
  row('tools_finished', undefined, say(decide.IGNORED.settling)),
];

const outOfStepRows: ChartRow[] = [
  row('looked', undefined, say(decide.IGNORED.out_of_step)),
  row('stop_hooks_finished', undefined, say(decide.IGNORED.out_of_step)),
  row('prepared', undefined, say(decide.IGNORED.out_of_step)),
  row('stream_opened', undefined, say(decide.IGNORED.out_of_step)),
];

// ---- rows of one state

const naturalStopRows: ChartRow[] = [
  row('model_stopped', 'looking', () => look('hooks', 'nothing'), isArmed),
  row('model_stopped', 'stopped', stop('queued_prompt'), ({ queuedPrompt }) => queuedPrompt),
  row('model_stopped', 'stopped', stop('nothing_unfinished'), ({ automatic }) => automatic),
  row('model_stopped', 'hooks', say(decide.RUN_STOP_HOOKS)),
];

const lookedRows: ChartRow[] = [
  row(
    'looked',
    'continuing',
    ({ chain, hand, queuedPrompt }, event) => ({
      chain: refresh(chain),
      queuedPrompt: queuedPrompt || event.queuedPrompt,
      decision: decide.CONTINUE_WITH_MESSAGES[hand],
    }),
    (_, { userMessages }) => userMessages,
  ),
  row(
    'looked',
    'stopped',
    () => ({ queuedPrompt: true, decision: { kind: 'stop', reason: 'queued_prompt' } }),
    (context, { queuedPrompt }) => context.queuedPrompt || queuedPrompt,
  ),
  row('looked', 'hooks', say(decide.RUN_STOP_HOOKS), ({ before, automatic }) => before === 'hooks' && !automatic),
  row(
    'looked',
    'sending',
    ({ chain, hand, maxAttempts }) => ({ decision: send(chain, hand, maxAttempts) }),
    (context, { background }) => context.before === 'send' && mayContinue(context, background),
  ),
  row('looked', 'preparing', say(decide.PREPARE), (context, { background }) => mayContinue(context, background)),
  row('looked', 'continuing', say(decide.CONTINUE_WITH_REASON), ({ hand }) => hand === 'hook_reason'),
  row('looked', 'stopped', stop('nothing_unfinished'), (context) => !isArmed(context)),
  row('looked', 'stopped', stop('background'), (_, { background }) => background),
  row('looked', 'stopped', ({ chain, maxAttempts }) => ({
    chain: { status: 'exhausted', unfinishedCount: countOf(chain) },
    decision: {
      kind: 'stop',
      reason: 'exhausted',
      notice: { about: 'exhaustion', attempt: maxAttempts, maxAttempts, unfinishedCount: countOf(chain) },
    },
  })),
];

const dialogue: Record<Exclude<ChartState, 'none'>, readonly ChartRow[]> = {
  working: [...naturalStopRows, row('tools_finished', 'continuing', say(decide.CONTINUE_WITH_RESULTS))],
  guard_stream: [...naturalStopRows, row('tools_finished', 'looking', () => look('verdict', 'tool_results'))],
  stopped: [
    row('user_message_sent', 'working', ({ chain }) => ({ chain: refresh(chain), decision: decide.NOTED })),
    row('model_stopped', undefined, say(decide.IGNORED.stopped)),
    row('tools_finished', undefined, say(decide.IGNORED.stopped)),
  ],
  looking: [...lookedRows, ...settlingRows],
  hooks: [
    row(
      'stop_hooks_finished',
      'looking',
      (_, { blocked }) => look('verdict', blocked ? 'hook_reason' : 'nothing'),
      isArmed,
    ),
    row('stop_hooks_finished', 'continuing', say(decide.CONTINUE_WITH_REASON), (_, { blocked }) => blocked),
    row('stop_hooks_finished', 'stopped', stop('nothing_unfinished')),
    ...settlingRows,
  ],
  preparing: [row('prepared', 'looking', ({ hand }) => look('send', hand)), ...settlingRows],
  sending: [
    row('stream_opened', 'working', spend, ({ hand }) => hand === 'hook_reason'),
    row('stream_opened', 'guard_stream', spend),
    ...settlingRows,
  ],
  continuing: [row('stream_opened', 'working', say(decide.NOTED)), ...settlingRows],
};

/** Every state's rows, in order. */
export const CHART: Record<ChartState, readonly ChartRow[]> = {
  none: [...turnRows, ...staleRows],
  working: liveState('working'),
  guard_stream: liveState('guard_stream'),
  stopped: liveState('stopped'),
  looking: liveState('looking'),
  hooks: liveState('hooks'),
  preparing: liveState('preparing'),
  sending: liveState('sending'),
  continuing: liveState('continuing'),
};

function liveState(state: Exclude<ChartState, 'none'>): readonly ChartRow[] {
  return [...turnRows, ...staleRows, ...dialogue[state], ...liveRows, ...outOfStepRows];
}

// ---- what the rows are made of

const RELEASED: GuardDecision = { kind: 'noted', released: true };

function begin({ chain }: ChartContext, turn: string, automatic: boolean, kept: boolean): Partial<ChartContext> {
  return {
    turn,
    automatic,
    queuedPrompt: false,
    chain: kept ? resume(chain) : INITIAL.chain,
    decision: kept ? decide.ADMIT_KEPT : decide.ADMIT_NEW,
  };
}

function look(before: ChartContext['before'], hand: Hand): Partial<ChartContext> {
  return { before, hand, decision: decide.LOOK };
}

function stop(reason: 'queued_prompt' | 'nothing_unfinished' | 'background') {
  return (): Partial<ChartContext> => ({ decision: { kind: 'stop', reason } });
}

function mayContinue({ chain, hand, maxAttempts }: ChartContext, background: boolean): boolean {
  if (chain.status !== 'armed' && chain.status !== 'idle') return false;
  const owed = chain.status === 'armed' ? !background : hand === 'tool_results';
  return owed && chain.spent < maxAttempts;
}

function send(chain: GuardChain, hand: Hand, maxAttempts: number): GuardDecision {
  const attempt = 'spent' in chain ? chain.spent + 1 : maxAttempts;
  if (chain.status !== 'armed') return { kind: 'send', carries: decide.TOOL_RESULTS, attempt, maxAttempts };
  const prompt = guardPrompt(chain.unfinishedCount, attempt === maxAttempts);
  return { kind: 'send', carries: decide.WITH_GUARD_PROMPT[hand], attempt, maxAttempts, prompt };
}

function spend({ chain, maxAttempts }: ChartContext): Partial<ChartContext> {
  if (!('spent' in chain)) return { decision: decide.NOTED };
  const attempt = chain.spent + 1;
  return {
    chain: { ...chain, spent: attempt },
    decision: {
      kind: 'noted',
      notice: { about: 'continuation', attempt, maxAttempts, unfinishedCount: countOf(chain) },
    },
  };
}

function countOf(chain: GuardChain): number {
  return 'unfinishedCount' in chain ? chain.unfinishedCount : 0;
}

function recount(chain: GuardChain, unfinishedCount: number): GuardChain {
  if (!('spent' in chain)) return chain;
  const { spent } = chain;
  return unfinishedCount === 0 ? { status: 'idle', spent } : { status: 'armed', unfinishedCount, spent };
}

function refresh(chain: GuardChain): GuardChain {
  if (chain.status === 'suspended' || ('spent' in chain && chain.spent === 0)) return chain;
  return recount(INITIAL.chain, countOf(chain));
}

function pause(chain: GuardChain, until: 'retry' | 'background'): GuardChain {
  return chain.status === 'armed' ? { ...chain, status: 'paused', until } : chain;
}

function resume(chain: GuardChain): GuardChain {
  if (chain.status !== 'paused') return chain;
  const { unfinishedCount, spent } = chain;
  return { status: 'armed', unfinishedCount, spent };
}

function suspend(chain: GuardChain, reason: Extract<GuardChain, { status: 'suspended' }>['reason']): GuardChain {
  return chain.status === 'suspended' ? chain : { status: 'suspended', reason };
}
