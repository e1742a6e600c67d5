/**
 * Which prompt owns which reminder (R3, R4), and what is forgotten when (R11).
 *
 * Theory of operation. A reminder belongs to a chain: the prompts and automatic turns that serve one request, in the
 * order in which they took it over. The last one that has not ended holds it. Everything else follows from two rules,
 * the same for a core loop and an ACP loop:
 *
 * - **One clearing rule.** A prompt of the user's clears every chain but the one that it continues; of the cleared ones
 *   only automatic turns that are still running keep their list.
 * - **One ending rule.** A chain whose every turn has ended is over. A prompt of the user's does not end by itself, it is
 *   superseded by the next one. So an automatic turn's own list goes with it, and one that it took over stays.
 *
 * The functions are pure. Beside the chains, the store remembers only the ids that it has lost last.
 *
 * @module
 */

import type { KeptReminder } from './kept-reminder.ts';

/** A prompt or an automatic turn of a chain. */
export interface ChainTurn {
  readonly id: string;
  /** `unannounced`: a list came in under an id that was never started. It counts as a prompt of the user's that nothing waits for. */
  readonly started: 'by_user' | 'automatically' | 'unannounced';
  /** An automatic turn that is over, or a turn that a prompt of the user's has superseded. Still an id to continue from. */
  readonly ended: boolean;
}

/** The turns that serve one request, the newest last, and its reminder. */
export interface ReminderChain {
  readonly turns: readonly ChainTurn[];
  /** `null` when nothing is unfinished (R5). */
  readonly reminder: KeptReminder | null;
}

/** The chains that a store knows, the newest last. */
export type ReminderChains = readonly ReminderChain[];

/**
 * How many chains are kept beside the user's, and how many turns of a chain beside the user's prompt. Hosts that end
 * what they start have a handful; the bound is for those that forget to (R11).
 */
export const KEPT_MAX = 100;

const NO_CHAIN: ReminderChain = { turns: [], reminder: null };

/** A prompt of the user's starts; without a known `continuedFrom` it is unrelated to everything (R4). */
export function startByUser(chains: ReminderChains, id: string, continuedFrom: string | undefined): ReminderChains {
  const continued = chainOf(chains, continuedFrom) ?? NO_CHAIN;
  const others = chains.filter((chain) => chain !== continued).map((chain) => keepTurns(chain, isAutomatic));
  const superseded = { ...continued, turns: continued.turns.map((turn) => ({ ...turn, ended: true })) };
  return enter(others, superseded, { id, started: 'by_user', ended: false });
}

/** An automatic turn starts; without a known `continuedFrom` it begins a chain of its own (R3, R4). */
export function startAutomatically(
  chains: ReminderChains,
  id: string,
  continuedFrom: string | undefined,
): ReminderChains {
  const continued = chainOf(chains, continuedFrom) ?? NO_CHAIN;
  // A turn that goes on under its own id takes nothing over: what the user began does not become automatic.
  if (continuedFrom === id && isRunning(continued, id)) return chains;
  const others = chains.filter((chain) => chain !== continued);
  return enter(others, continued, { id, started: 'automatically', ended: false });
}

/** A list came in under an id that no chain knows. */
export function startUnannounced(chains: ReminderChains, id: string): ReminderChains {
  return enter(chains, NO_CHAIN, { id, started: 'unannounced', ended: false });
}

/** An automatic turn has ended (R4); so has an unannounced one. A prompt of the user's is left alone. */
export function endAutomatic(chains: ReminderChains, id: string): ReminderChains {
  const end = (turn: ChainTurn): ChainTurn =>
    turn.id === id && turn.started !== 'by_user' ? { ...turn, ended: true } : turn;
  return withoutOver(chains.map((chain) => ({ ...chain, turns: chain.turns.map(end) })));
}

/** The chain that an id belongs to. */
export function chainOf(chains: ReminderChains, id: string | undefined): ReminderChain | undefined {
  return chains.find(({ turns }) => turns.some((turn) => turn.id === id));
}

/** Whether a turn of this chain is shown its reminder: no later turn that still runs has taken it over. */
export function mayRead({ turns }: ReminderChain, id: string): boolean {
  return turns.slice(turns.findIndex((turn) => turn.id === id) + 1).every(({ ended }) => ended);
}

/** Whether a turn of this chain may write its list: it holds it, and has not ended. */
export function mayWrite(chain: ReminderChain, id: string): boolean {
  return mayRead(chain, id) && isRunning(chain, id);
}

/** The chain of this id keeps another reminder; without such a chain nothing changes. */
export function withReminder(chains: ReminderChains, id: string, reminder: KeptReminder | null): ReminderChains {
  const own = chainOf(chains, id);
  return chains.map((chain) => (chain === own ? { ...chain, reminder } : chain));
}

/** The newest turn enters the chain that it continues; an earlier use of its id is over. */
function enter(others: ReminderChains, continued: ReminderChain, turn: ChainTurn): ReminderChains {
  const isAnother = ({ id }: ChainTurn): boolean => id !== turn.id;
  const turns = [...continued.turns.filter(isAnother), turn];
  const chain = { ...continued, turns: newest(turns, isPrompt) };
  return newest(withoutOver([...others.map((other) => keepTurns(other, isAnother)), chain]), ({ turns }) =>
    turns.some(isPrompt),
  );
}

function isRunning({ turns }: ReminderChain, id: string): boolean {
  return turns.some((turn) => turn.id === id && !turn.ended);
}

function isAutomatic({ started }: ChainTurn): boolean {
  return started === 'automatically';
}

/** At most one turn of all chains is: the user's newest prompt. */
function isPrompt({ started, ended }: ChainTurn): boolean {
  return started === 'by_user' && !ended;
}

function keepTurns(chain: ReminderChain, isKept: (turn: ChainTurn) => boolean): ReminderChain {
  return { ...chain, turns: chain.turns.filter(isKept) };
}

function withoutOver(chains: ReminderChains): ReminderChains {
  return chains.filter(({ turns }) => !turns.every(({ ended }) => ended));
}

/** The newest entries, and those that must not be lost. */
function newest<Entry>(entries: readonly Entry[], isNeeded: (entry: Entry) => boolean): readonly Entry[] {
  return entries.filter((entry, index) => isNeeded(entry) || index >= entries.length - KEPT_MAX);
}
