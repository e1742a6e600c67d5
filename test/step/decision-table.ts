import { step } from 'todo-stop-guard/machine';
import type { GuardOn, GuardState } from 'todo-stop-guard/machine';
import { parseEvent } from './parse-event.ts';
import { printChain, printDecision, printTurn } from './print.ts';
import { deepFreeze } from './scenario.ts';

/** One cell of a table: an event in a state, and what comes of it. */
export interface Cell {
  readonly event: string;
  readonly where: string;
  readonly outcome: string;
}

/**
 * Reads rows of `events | places | decision | chain | turn`. Events are separated by commas; places are names,
 * `all`, or `all but` names. The last two columns are `=` for the same state object; `same` is for an equal part.
 */
export function parseTable(table: string, places: readonly string[]): Cell[] {
  return table
    .split('\n')
    .map((row) => row.trim())
    .filter((row) => row !== '' && !row.startsWith('#'))
    .flatMap((row) => {
      const [events = '', where = '', ...outcome] = row.split('|').map((column) => column.trim());
      return events
        .split(',')
        .flatMap((event) =>
          placesOf(where, places).map((place) => ({ event: event.trim(), where: place, outcome: outcome.join(' | ') })),
        );
    });
}

function placesOf(where: string, places: readonly string[]): readonly string[] {
  const [first, second, ...rest] = where.split(' ');
  if (where === 'all') return places;
  if (first === 'all' && second === 'but') return places.filter((place) => !rest.includes(place));
  return where.split(' ');
}

/** What the machine does, as a row of the table says it. */
export function outcomeOf(before: GuardOn, event: string): string {
  const { state, decision } = step(deepFreeze(before), parseEvent(event));
  return `${printDecision(decision)} | ${printChange(before, state)}`;
}

function printChange(before: GuardOn, after: GuardState): string {
  if (after === before) return '=';
  if (after.off) return 'off';
  const chain = printChain(after.chain);
  const turn = printTurn(after.turn);
  return [
    chain === printChain(before.chain) ? 'same' : chain,
    turn === printTurn(before.turn) ? 'same' : turn,
    ...(after.queuedPrompt ? ['queued prompt'] : []),
    ...(after.plan ? ['plan'] : []),
  ].join(' | ');
}
