/**
 * Runs every row in a process of its own, and writes the tables to `bench/RESULTS.md`, and those that the README quotes to
 * `docs/generated`. With `--quick` it only shows that all of it works, and writes nothing.
 *
 * @module
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import { IS_QUICK } from './row.ts';
import type { Row } from './row.ts';

const GROUPS = [
  'session',
  'ignored',
  'ignored-heap',
  'todo-result',
  'background',
  'reminder',
  'guards',
  'bytes',
  'cold-import',
];
/** A nursery in megabytes that a million small objects do not fill. */
const FLAGS: Readonly<Record<string, readonly string[]>> = {
  'ignored-heap': ['--min-semi-space-size=256', '--max-semi-space-size=256'],
};

function run(group: string): string {
  process.stderr.write(`${group}…\n`);
  const program = fileURLToPath(new URL(`rows/${group}.js`, import.meta.url));
  const flags = ['--expose-gc', ...(FLAGS[group] ?? [])];
  return execFileSync(process.execPath, [...flags, program, ...(IS_QUICK ? ['--quick'] : [])], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
}

const rows = GROUPS.flatMap((group) => JSON.parse(run(group)) as Row[]);
const cost = JSON.parse(run('cost')) as {
  readonly guard: string;
  readonly reminder: string;
  readonly headline: string;
};

const round = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(value < 0.1 ? 1 : 2)));

function toLine({ workload, peer, figure, ratio, target }: Row): string {
  const { median, low, high } = ratio;
  const spread = low === high ? '' : ` (${round(low)}–${round(high)})`;
  if (target === undefined) return `| ${workload} | ${peer} | ${round(median)} ${figure}${spread} | | |`;
  const [words, isMet] =
    'atLeast' in target
      ? [`≥ ${target.atLeast}`, median >= target.atLeast]
      : [`≤ ${target.atMost}`, median <= target.atMost];
  return `| ${workload} | ${peer} | ${round(median)} ${figure}${spread} | ${words} | ${isMet ? 'met' : '**missed**'} |`;
}

const table = (lines: readonly Row[]): string =>
  [
    '| workload | against | median (quartiles) | target | |',
    '| --- | --- | --- | --- | --- |',
    ...lines.map(toLine),
  ].join('\n');
const marked = (name: string, table: string): string => `<!-- table:${name} -->\n\n${table}\n\n<!-- /table:${name} -->`;

const results = `# Results

Written by \`npm run bench\` on Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}. Every figure of
time is a ratio of two measurements of the same round. What the rows mean stands in [docs/measured.md](../docs/measured.md).

${marked('measured', table(rows))}

## What the guard costs its user

${marked('cost', cost.guard)}

## What a reminder costs

${marked('reminder-cost', cost.reminder)}
`;

const root = new URL('../../../', import.meta.url);
const files = {
  'bench/RESULTS.md': results,
  'docs/generated/measured.md': `${table(rows.filter(({ isHeadline }) => isHeadline))}\n`,
  'docs/generated/cost.md': `${cost.headline}\n`,
};
if (IS_QUICK) process.stdout.write(Object.values(files).join('\n'));
else for (const [file, text] of Object.entries(files)) writeFileSync(new URL(file, root), text);
