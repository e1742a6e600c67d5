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

/** What nobody reads, so that no work can be left out as useless. */
export const sink: { value: unknown } = { value: undefined };
