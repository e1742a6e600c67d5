import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { spread } from '../measure.ts';
import { IS_QUICK, report } from '../row.ts';
import type { Row } from '../row.ts';

/** Processor time that an import takes in a process of its own, beyond what an empty process takes: its start is left out. */
function importTime(specifier: string): number {
  const program = `
    const before = process.cpuUsage();
    await import(${JSON.stringify(specifier)});
    const { user, system } = process.cpuUsage(before);
    console.log(user + system);`;
  return Number(execFileSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' }));
}

const dist = (entry: string): string => new URL(`../../../../dist/${entry}.js`, import.meta.url).href;
const ENTRIES = ['index', 'machine', 'acp'];
const zodMini = import.meta.resolve('zod/mini');

const rounds = Array.from({ length: IS_QUICK ? 2 : 25 }, () => ({
  zod: importTime(zodMini),
  ours: ENTRIES.map((entry) => importTime(dist(entry))),
}));
report(
  ENTRIES.map((entry, index): Row => ({
    workload: `cold import of ${fileURLToPath(dist(entry)).split('/').slice(-2).join('/')}`,
    peer: '`zod/mini` from its package',
    figure: 'times the time',
    ratio: spread(rounds.map(({ zod, ours }) => (ours[index] ?? NaN) / zod)),
    ...(entry === 'index' && { target: { atMost: 0.15 } }),
  })),
);
