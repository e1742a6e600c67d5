/** What `npm run prove` shows: each part is a run that the tests repeat, here with larger numbers. */
import * as fc from 'fast-check';
import { step } from '../src/step.ts';
import { fuzz } from '../test/fuzz/fuzz.ts';
import { findDisagreement } from '../test/model/differential.ts';
import { explore } from '../test/model/explore.ts';
import type { Exploration } from '../test/model/explore.ts';
import { INVARIANTS } from '../test/model/invariants.ts';
import { answersInDialogueMax, eventsUntilRelease } from '../test/model/liveness.ts';
import { playSession, session } from '../test/model/lying-host.ts';
import { move } from '../test/model/moves.ts';
import { MUTANTS } from '../test/model/mutants.ts';

/** How much is tried. The same seed tries the same things. */
export interface ProofSize {
  readonly sequences: number;
  readonly sessions: number;
  readonly inputs: number;
  readonly seed: number;
}

/** A full run, of some minutes. */
export const FULL: ProofSize = { sequences: 20_000, sessions: 2_000, inputs: 1_000_000, seed: 2_026 };

/** A line of the table, and what speaks against it: nothing, if all is well. */
export interface ProofRow {
  readonly what: string;
  readonly shown: string;
  readonly objections: readonly string[];
}

const BUDGETS = [1, 2, 3] as const;

/** The exploration with budgets of one, two and three; the numbers are the same in every run. */
export function proveWhole(): readonly ProofRow[] {
  const explorations = BUDGETS.map((maxAttempts) => explore(step, maxAttempts));
  const sum = (count: (exploration: Exploration) => number): string =>
    number(explorations.map(count).reduce((total, each) => total + each, 0));
  const worst = (measure: (exploration: Exploration) => number): number => Math.max(...explorations.map(measure));
  const violations = explorations.flatMap((each) => each.violations.map(({ invariant }) => invariant));
  const answers = worst(answersInDialogueMax);
  const events = worst(eventsUntilRelease);
  return [
    row('states', `${sum(statesOf)}, all that can be reached with a budget of 1, 2 or 3`),
    row('transitions', `${sum(({ transitions }) => transitions)}, every state against every event`),
    row('invariants', `${INVARIANTS.length} hold in every one of them`, [...new Set(violations)]),
    row('longest dialogue', `${answers} answers`, answers === Infinity ? ['a dialogue has no end'] : []),
    row('longest hold', `${events} events that are bound to come`, events === Infinity ? ['a hold has no end'] : []),
  ];
}

function statesOf({ situations }: Exploration): number {
  return new Set(situations.map(({ state }) => JSON.stringify(state))).size;
}

/** Every fault that is planted in the machine is found by the invariant that it breaks. */
export function proveFaultsFound(): ProofRow {
  const missed = MUTANTS.filter(({ invariant, machine }) => {
    const broken = INVARIANTS.filter(({ name }) => name === invariant);
    return explore(machine, 2, { invariants: broken, untilViolated: true }).violations.length === 0;
  });
  return row(
    'planted faults',
    `${MUTANTS.length - missed.length} of ${MUTANTS.length} found`,
    missed.map(({ fault }) => `not found: a machine that ${fault}`),
  );
}

/** The machine against the naive guard. */
export function proveAgreement({ sequences, seed }: ProofSize): ProofRow {
  const run = fc.tuple(
    fc.integer({ min: 1, max: 3 }),
    fc.boolean(),
    fc.array(move, { minLength: 20, maxLength: 200, size: 'max' }),
  );
  const { failed, counterexample } = fc.check(
    fc.property(run, (each) => findDisagreement(...each) === null),
    { numRuns: sequences, seed },
  );
  const shown = `${number(sequences)} of up to 200 events, answered alike by a second guard`;
  return row('sequences', shown, failed ? [JSON.stringify(counterexample)] : []);
}

/** Whole sessions through shell and driver. */
export async function proveSessions({ sessions, seed }: ProofSize): Promise<ProofRow> {
  const { failed, counterexample } = await fc.check(
    fc.asyncProperty(session, fc.integer({ min: 1, max: 3 }), async (happenings, maxAttempts) => {
      return (await playSession(happenings, maxAttempts)).wrongs.length === 0;
    }),
    { numRuns: sessions, seed },
  );
  const shown = `${number(sessions)} with hosts that lie, fail, are late and repeat themselves`;
  return row('sessions', shown, failed ? [JSON.stringify(counterexample)] : []);
}

/** Hostile inputs at every door. */
export function proveDoors({ inputs, seed }: ProofSize): ProofRow {
  const { doors, wrongs } = fuzz(inputs, seed);
  return row(
    'hostile inputs',
    `${number(inputs)} at ${Object.keys(doors).length} doors: none throws, arms or stays`,
    wrongs,
  );
}

/** The table in Markdown, as the README carries it. */
export function renderProof(rows: readonly ProofRow[]): string {
  return ['| | |', '| --- | --- |', ...rows.map(({ what, shown }) => `| ${what} | ${shown} |`)].join('\n');
}

function row(what: string, shown: string, objections: readonly string[] = []): ProofRow {
  return { what, shown, objections };
}

function number(count: number): string {
  return count.toLocaleString('en-US');
}
