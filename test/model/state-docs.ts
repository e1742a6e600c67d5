import type { GuardDecision } from '../../src/decisions.ts';
import type { GuardEventType } from '../../src/events.ts';
import type { GuardChain, GuardOn } from '../../src/state.ts';
import { step } from '../../src/step.ts';
import { STALE, UNKNOWN } from './every-event.ts';
import { explore } from './explore.ts';
import type { Transition } from './invariants.ts';
import { IGNORED_RULES, TRANSITION_RULES } from './rules.ts';

/** One line of the state table: all transitions with the same event and answer that lead to the same step. */
export interface Row {
  readonly event: GuardEventType;
  readonly answer: string;
  readonly from: ReadonlySet<string>;
  readonly to: string;
  /** The chain's statuses before and after. */
  readonly chains: ReadonlySet<string>;
  readonly rules: string;
}

/** What the exploration found, for the documentation. */
export interface StateDocs {
  readonly rows: readonly Row[];
  /** Rules of transitions that cannot happen. */
  readonly unusedRules: readonly string[];
}

const PLACES = [
  'no turn',
  'working',
  'guard_stream',
  'looking before hooks',
  'hooks',
  'looking before verdict',
  'preparing',
  'looking before send',
  'sending',
  'continuing',
  'stopped',
];
const STATUSES = ['idle', 'armed', 'paused for background', 'paused for retry', 'exhausted', 'suspended'];
const NODES = [...PLACES, ...STATUSES];
const UNCHANGED = 'unchanged';

/** Explores the machine and names the rule of every transition. @throws RangeError for one that has none. */
export function collectStateDocs(): StateDocs {
  const rows = new Map<string, { row: Row; from: Set<string>; chains: Set<string> }>();
  const used = new Set<string>();
  explore(step, 2, {
    invariants: [],
    visit: ({ before, event, decision, after }: Transition) => {
      if ('turn' in event && (event.turn === STALE || event.turn === UNKNOWN)) return;
      const answer = answerOf(event.type, decision);
      const rules = ruleOf(event.type, decision, answer);
      used.add(`${event.type} → ${answer}`);
      const [from, to] = [placeOf(before), placeOf(after)];
      const isStill = from === to;
      const key = [event.type, answer, isStill ? '' : to].join(' → ');
      const known = rows.get(key);
      const froms = known?.from ?? new Set();
      const chains = known?.chains ?? new Set();
      froms.add(from);
      chains.add(chainChange(before.chain, after.chain));
      if (known === undefined) {
        const row: Row = { event: event.type, answer, from: froms, to: isStill ? UNCHANGED : to, chains, rules };
        rows.set(key, { row, from: froms, chains });
      }
    },
  });
  const named = Object.entries(TRANSITION_RULES).flatMap(([event, answers]) =>
    Object.keys(answers).map((answer) => `${event} → ${answer}`),
  );
  return {
    rows: inOrder([...rows.values()].map(({ row }) => row)),
    unusedRules: named.filter((rule) => !used.has(rule)),
  };
}

/** The rule of a transition. @throws RangeError when it has none. */
function ruleOf(event: GuardEventType, decision: GuardDecision, answer: string): string {
  const rules =
    decision.kind === 'ignored' && decision.reason !== 'off'
      ? IGNORED_RULES[decision.reason]
      : TRANSITION_RULES[event][answer];
  if (rules === undefined) throw new RangeError(`${event} → ${answer} has no rule: name it in test/model/rules.ts.`);
  return rules;
}

function answerOf(event: GuardEventType, decision: GuardDecision): string {
  switch (decision.kind) {
    case 'look':
    case 'run_stop_hooks':
    case 'prepare':
      return decision.kind;
    case 'send':
    case 'continue':
      return `${decision.kind}: ${decision.carries.join(', ')}`;
    case 'stop': {
      const reason = event === 'hard_stopped' ? 'the reason told' : decision.reason;
      return `stop: ${reason}${decision.notice === undefined ? '' : ', with a notice'}`;
    }
    case 'admit':
      return `admit: ${decision.chain}`;
    case 'hold':
    case 'ignored':
      return `${decision.kind}: ${decision.reason}`;
    case 'noted':
      return `noted${decision.notice === undefined ? '' : ', with a notice'}`;
  }
}

function placeOf({ turn }: GuardOn): string {
  if (turn === null) return 'no turn';
  return turn.stop.at === 'looking' ? `looking before ${turn.stop.before}` : turn.stop.at;
}

function statusOf(chain: GuardChain): string {
  return chain.status === 'paused' ? `paused for ${chain.until}` : chain.status;
}

function chainChange(before: GuardChain, after: GuardChain): string {
  const [from, to] = [statusOf(before), statusOf(after)];
  return from === to ? UNCHANGED : `${from} → ${to}`;
}

function inOrder(rows: readonly Row[]): readonly Row[] {
  const events = Object.keys(TRANSITION_RULES);
  const placeOfRow = ({ event, answer, to }: Row): string =>
    [
      String(events.indexOf(event)).padStart(2, '0'),
      answer.startsWith('ignored') ? '1' : '0',
      answer,
      String(PLACES.indexOf(to)).padStart(2, '0'),
    ].join();
  return [...rows].sort((a, b) => (placeOfRow(a) < placeOfRow(b) ? -1 : 1));
}

/** The table of all transitions, in Markdown. */
export function renderStateTable(rows: readonly Row[]): string {
  return Object.keys(TRANSITION_RULES)
    .map((event) =>
      [
        `### \`${event}\``,
        '',
        '| at | answer | then at | chain | rules |',
        '| --- | --- | --- | --- | --- |',
        ...rows.filter((row) => row.event === event).map(renderRow),
      ].join('\n'),
    )
    .join('\n\n');
}

function renderRow({ from, answer, to, chains, rules }: Row): string {
  const places = PLACES.filter((place) => from.has(place));
  const others = PLACES.filter((place) => !from.has(place));
  const at = others.length > 3 ? places.join(', ') : ['anywhere', others.join(', ')].filter(Boolean).join(' but ');
  const then = to === UNCHANGED ? 'the same' : to;
  const changes = [...chains].filter((change) => change !== UNCHANGED).sort();
  const chain = [...changes, ...(chains.has(UNCHANGED) ? [UNCHANGED] : [])].join('; ');
  return `| ${at} | ${answer} | ${then} | ${chain} | ${rules} |`;
}

/** An arrow of a diagram. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly labels: readonly string[];
}

const DIALOGUE: readonly GuardEventType[] = [
  'model_stopped',
  'tools_finished',
  'looked',
  'look_failed',
  'stop_hooks_finished',
  'prepared',
  'prepare_failed',
  'stream_opened',
];

/** The stop dialogue: the signals that open it, and the answers. The other facts are in the table. */
export function dialogueArrows(rows: readonly Row[]): readonly Arrow[] {
  return mergeArrows(
    rows
      .filter(({ event, answer, to }) => DIALOGUE.includes(event) && !answer.startsWith('ignored') && to !== UNCHANGED)
      .flatMap(({ event, from, to }) => [...from].map((place) => ({ from: place, to, label: event }))),
  );
}

/** How a chain changes its status. */
export function chainArrows(rows: readonly Row[]): readonly Arrow[] {
  return mergeArrows(
    rows.flatMap(({ event, chains }) =>
      [...chains]
        .filter((change) => change !== UNCHANGED)
        .map((change) => {
          const [from = '', to = ''] = change.split(' → ');
          return { from, to, label: event };
        }),
    ),
  );
}

function mergeArrows(arrows: readonly { from: string; to: string; label: string }[]): readonly Arrow[] {
  const merged = new Map<string, { from: string; to: string; labels: Set<string> }>();
  for (const { from, to, label } of arrows) {
    const key = `${from} → ${to}`;
    const arrow = merged.get(key) ?? { from, to, labels: new Set() };
    arrow.labels.add(label);
    merged.set(key, arrow);
  }
  // The order decides the drawing: what comes first stands at the top.
  const rank = ({ from, to }: { from: string; to: string }): number =>
    NODES.indexOf(from) * NODES.length + NODES.indexOf(to);
  return [...merged.values()]
    .sort((a, b) => rank(a) - rank(b))
    .map(({ from, to, labels }) => ({ from, to, labels: [...labels].sort() }));
}

/** A diagram in Mermaid. */
export function renderMermaid(arrows: readonly Arrow[]): string {
  const idOf = (name: string): string => name.replaceAll(' ', '_');
  const names = [...new Set(arrows.flatMap(({ from, to }) => [from, to]))].sort(
    (a, b) => NODES.indexOf(a) - NODES.indexOf(b),
  );
  return [
    '```mermaid',
    'stateDiagram-v2',
    ...names.map((name) => `  state "${name}" as ${idOf(name)}`),
    ...arrows.map(({ from, to, labels }) => `  ${idOf(from)} --> ${idOf(to)}: ${labels.join(', ')}`),
    '```',
  ].join('\n');
}

/** A diagram in Graphviz's language. */
export function renderDot(arrows: readonly Arrow[]): string {
  return [
    'digraph {',
    '  node [shape=box, style=rounded, fontname="Helvetica", fontsize=11]',
    '  edge [fontname="Helvetica", fontsize=9]',
    ...arrows.map(({ from, to, labels }) => `  "${from}" -> "${to}" [label="${labels.join('\\n')}"]`),
    '}',
  ].join('\n');
}
