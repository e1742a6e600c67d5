import { makeDoors } from './doors.ts';
import type { Door } from './doors.ts';
import { Seeded } from './seeded.ts';

/** What a fuzzing run found. */
export interface FuzzReport {
  readonly inputs: number;
  /** Inputs by door. */
  readonly doors: Readonly<Record<string, number>>;
  /** What went wrong, at most ten, each with the input's number: the same seed finds it again. */
  readonly wrongs: readonly string[];
}

/**
 * Feeds hostile inputs to every door in turn.
 *
 * @param inputs - how many.
 * @param seed - the same seed gives the same inputs.
 */
export function fuzz(inputs: number, seed: number, doors: readonly Door[] = makeDoors()): FuzzReport {
  const seeded = new Seeded(seed);
  const counts: Record<string, number> = {};
  const wrongs: string[] = [];
  for (let number = 0; number < inputs && wrongs.length < 10; number++) {
    const door = doors[number % doors.length];
    if (door === undefined) break;
    counts[door.name] = (counts[door.name] ?? 0) + 1;
    const wrong = feed(door.feed, seeded);
    if (wrong !== null) wrongs.push(`input ${number} at the door "${door.name}": ${wrong}`);
    const { size, sizeMax } = door.kept();
    if (size > sizeMax)
      wrongs.push(`input ${number} at the door "${door.name}": ${size} is kept, at most ${sizeMax} may be`);
  }
  return { inputs, doors: counts, wrongs };
}

function feed(door: (seeded: Seeded) => string | null, seeded: Seeded): string | null {
  try {
    return door(seeded);
  } catch (error) {
    return `it threw ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
  }
}
