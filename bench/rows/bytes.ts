import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { exactly, report } from '../row.ts';
import type { Row } from '../row.ts';

/** One check of size-limit, as its `--json` prints it. */
interface Size {
  readonly name: string;
  /** Minified and gzipped. */
  readonly size: number;
  /** The budget, which CI enforces. */
  readonly sizeLimit?: number;
}

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
const machine = ours.find(({ name }) => name === 'machine')?.size ?? NaN;

report([
  ...ours.map(({ name, size, sizeLimit }): Row => ({
    workload: `bytes of ${name}`,
    peer: `its budget of ${sizeLimit?.toLocaleString('en')}`,
    figure: `of the budget (${size.toLocaleString('en')} bytes)`,
    ratio: exactly(size / (sizeLimit ?? NaN)),
    target: { atMost: 1 },
  })),
  ...peers.map(({ name, size }): Row => ({
    workload: 'bytes of the machine alone',
    peer: `${name} (${size.toLocaleString('en')} bytes)`,
    figure: 'times the bytes',
    ratio: exactly(machine / size),
  })),
]);
