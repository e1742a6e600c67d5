import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { exactly, report } from '../row.ts';
import type { Row } from '../row.ts';

/** One check of size-limit, as its `--json` prints it. */
interface Size {
  readonly name: string;
  /** Minified and gzipped. */
  readonly size: number;
}

/** What each is meant to be at the most. CI enforces what has been reached, by the budgets of `.size-limit.json`. */
const GOALS: Record<string, number> = {
  machine: 2_000,
  'main, without zod': 5_000,
  main: 11_000,
  'acp, without zod': 3_000,
  acp: 3_000,
};

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** size-limit fails over budget, and prints the sizes all the same. */
function sizesOf(arguments_: readonly string[]): Size[] {
  try {
    return JSON.parse(
      execFileSync('npx', ['size-limit', '--json', ...arguments_], { cwd: root, encoding: 'utf8' }),
    ) as Size[];
  } catch (error) {
    return JSON.parse((error as { stdout: string }).stdout) as Size[];
  }
}

const ours = sizesOf([]);
const peers = sizesOf(['--config', 'bench/peers.size-limit.json']);
const sizeOf = (name: string): number => ours.find((size) => size.name === name)?.size ?? NaN;
const named = ({ name, size }: Size): string => `${name} (${size.toLocaleString('en')} bytes)`;
const isZod = ({ name }: Size): boolean => name.includes('zod');

report([
  ...ours.flatMap(({ name, size }): Row[] => {
    const goal = GOALS[name];
    if (goal === undefined) return [];
    const workload = `bytes of ${name}`;
    const figure = `of that (${size.toLocaleString('en')} bytes)`;
    const peer = `a goal of ${goal.toLocaleString('en')}`;
    return [{ workload, peer, figure, ratio: exactly(size / goal), target: { atMost: 1 } }];
  }),
  ...peers.map((peer): Row => {
    const name = isZod(peer) ? 'acp' : 'machine';
    const ratio = exactly(sizeOf(name) / peer.size);
    return { workload: `bytes of ${name}`, peer: named(peer), figure: 'times the bytes', ratio };
  }),
]);
