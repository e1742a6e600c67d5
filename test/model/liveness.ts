import type { GuardEvent } from '../../src/events.ts';
import { holds } from '../../src/holds.ts';
import type { GuardOn } from '../../src/state.ts';
import type { Exploration } from './explore.ts';
import { LIVE } from './every-event.ts';

/** The events that answer what the machine asked. */
const ANSWERS: readonly GuardEvent['type'][] = [
  'looked',
  'look_failed',
  'stop_hooks_finished',
  'prepared',
  'prepare_failed',
  'stream_opened',
];

/**
 * What must come true sooner or later without any user: turns settle, background work ends, a waiting prompt is dropped
 * (or starts), and a host gives up waiting for a retry.
 */
const INEVITABLE: readonly GuardEvent[] = [
  { type: 'turn_settled', turn: LIVE, background: true },
  { type: 'turn_settled', turn: LIVE, background: false },
  { type: 'background_ended' },
  { type: 'queued_prompt_dropped' },
  { type: 'chain_ended', reason: 'retry_abandoned' },
];

/**
 * How many inevitable events it takes until nothing holds any automatic turn, at the worst state: over every order of
 * them, none of which may lead in a circle.
 *
 * @returns `Infinity` when some held turn is unreachable, or some order never releases it.
 */
export function eventsUntilRelease({ situations, edges }: Exploration): number {
  const inevitable = new Map<number, number[]>();
  for (const { from, to, transition } of edges) {
    const isInevitable = INEVITABLE.some((event) => JSON.stringify(event) === JSON.stringify(transition.event));
    // One that means nothing here changes nothing, and the next one comes.
    if (isInevitable && transition.decision.kind !== 'ignored') push(inevitable, from, to);
  }
  const isHeld = (place: number): boolean => {
    const situation = situations[place];
    return situation !== undefined && (holds(situation.state, true) ?? holds(situation.state, false)) !== null;
  };
  return longestPath([...situations.keys()].filter(isHeld), (place) => {
    if (!isHeld(place)) return [];
    // Nothing that is bound to come changes anything: it is held for ever.
    return (inevitable.get(place) ?? [place]).map((to) => [to, 1] as const);
  });
}

/**
 * The most answers that one stop takes, whatever the host answers and whatever other facts come in between.
 *
 * @returns `Infinity` when a dialogue can go in a circle.
 */
export function answersInDialogueMax({ edges }: Exploration): number {
  const followers = new Map<string, { readonly to: string; readonly answers: number }[]>();
  for (const { transition } of edges) {
    const { before, event, decision, after } = transition;
    if (decision.kind === 'ignored' || before.turn === null || !isAsking(before)) continue;
    const isAnswer = ANSWERS.includes(event.type);
    const from = placeOf(before);
    const to = isAsking(after) && decision.kind !== 'admit' ? placeOf(after) : 'over';
    // A fact that is no answer may come at any place and leaves the question open: it is no step of the dialogue.
    if (isAnswer || from !== to) push(followers, from, { to, answers: isAnswer ? 1 : 0 });
  }
  const edgesOf = (place: string): readonly (readonly [string, number])[] =>
    (followers.get(place) ?? []).map(({ to, answers }) => [to, answers] as const);
  return longestPath([...followers.keys()], edgesOf);
}

/** Where a dialogue is. Two of one place differ in nothing that an answer is owed to. */
function placeOf({ turn }: GuardOn): string {
  if (turn === null) return 'over';
  const { stop } = turn;
  return stop.at === 'looking' ? `looking before ${stop.before}` : stop.at;
}

function isAsking({ turn }: GuardOn): boolean {
  return turn !== null && !['working', 'guard_stream', 'stopped'].includes(turn.stop.at);
}

/** The heaviest path; `Infinity` when there is a circle. */
function longestPath<Place>(
  starts: readonly Place[],
  edgesOf: (place: Place) => readonly (readonly [Place, number])[],
): number {
  const known = new Map<Place, number>();
  const longestFrom = (place: Place): number => {
    const before = known.get(place);
    if (before !== undefined) return before;
    known.set(place, Infinity); // whoever comes back here goes in a circle
    const longest = Math.max(0, ...edgesOf(place).map(([to, length]) => length + longestFrom(to)));
    known.set(place, longest);
    return longest;
  };
  return Math.max(...starts.map(longestFrom));
}

function push<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
