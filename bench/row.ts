import { FULL, QUICK } from './measure.ts';
import type { Effort, Ratio } from './measure.ts';

/** One line of the table. */
export interface Row {
  readonly workload: string;
  readonly peer: string;
  /** What the ratio is of: a table names it once for each run of rows. */
  readonly figure: string;
  readonly ratio: Ratio;
  /** `undefined`: shown, not promised. */
  readonly target?: { readonly atLeast: number } | { readonly atMost: number };
  /** The README quotes it. */
  readonly isHeadline?: boolean;
}

/** Whether this process was asked for a short run, which shows that everything works and measures nothing well. */
export const IS_QUICK = process.argv.includes('--quick');

export const EFFORT: Effort = IS_QUICK ? QUICK : FULL;

/** Hands the rows to the process that puts the table together. */
export function report(rows: readonly Row[]): void {
  process.stdout.write(`${JSON.stringify(rows)}\n`);
}

/** A figure that is counted, not timed. */
export function exactly(value: number): Ratio {
  return { median: value, low: value, high: value };
}

/**
 * How much faster the work grows from the last but one size to the last than the peer's, which memory beyond the caches slows down as
 * well: at 1 it is as linear as the peer.
 */
export function linearity(workload: string, peer: string, ratios: readonly Ratio[]): Row {
  const [smaller, larger] = ratios.slice(-2).map(({ median }) => median);
  const ratio = exactly((larger ?? NaN) / (smaller ?? NaN));
  return { workload, peer, figure: 'times the growth', ratio, target: { atMost: 1.5 } };
}

/** What nobody reads, so that no work can be left out as useless. */
export const sink: { value: unknown } = { value: undefined };
