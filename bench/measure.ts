import { measure } from 'mitata';

/** A ratio over all rounds: the median, and the quartiles around it. */
export interface Ratio {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

export interface Comparison<Name extends string> {
  /** Nanoseconds a call: the median of the rounds' medians. */
  readonly time: Readonly<Record<Name, number>>;
  /** How many times as long `name` takes as `unit`, from the two measurements of the same round. */
  readonly ratio: (name: Name, unit: Name) => Ratio;
}

/** How long a run may take. */
export interface Effort {
  readonly rounds: number;
  /** Nanoseconds for each contender in each round. */
  readonly roundTime: number;
}

export const FULL: Effort = { rounds: 21, roundTime: 8e6 };
export const QUICK: Effort = { rounds: 3, roundTime: 5e5 };

/**
 * Measures contenders against each other in one run: each round takes all of them in turn, beginning with another one each
 * time, so that whatever else the machine does meets them alike. The first round warms up and is thrown away.
 */
export async function compare<Name extends string>(
  contenders: Readonly<Record<Name, () => unknown>>,
  { rounds, roundTime }: Effort,
): Promise<Comparison<Name>> {
  const names = Object.keys(contenders) as Name[];
  const times = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (let place = 0; place < names.length; place++) {
      const name = names[(round + place) % names.length] as Name;
      const { p50 } = await measure(contenders[name], {
        min_cpu_time: roundTime,
        min_samples: 5,
        batch_samples: 128,
        warmup_samples: 2,
      });
      if (round > 0) times.get(name)?.push(p50);
    }
  }
  const timesOf = (name: Name): number[] => times.get(name) ?? [];
  return {
    time: Object.fromEntries(names.map((name) => [name, quantile(timesOf(name), 0.5)])) as Record<Name, number>,
    ratio: (name, unit) => spread(timesOf(name).map((time, round) => time / (timesOf(unit)[round] ?? NaN))),
  };
}

export function spread(values: readonly number[]): Ratio {
  return { median: quantile(values, 0.5), low: quantile(values, 0.25), high: quantile(values, 0.75) };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.round(share * (sorted.length - 1))] ?? NaN;
}
