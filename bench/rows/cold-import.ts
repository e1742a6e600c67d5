import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spread } from '../measure.ts';
import { IS_QUICK, report } from '../row.ts';
import type { Row } from '../row.ts';

const directory = mkdtempSync(join(tmpdir(), 'cold-import-'));

/** A program that imports a module, or nothing, and prints what processor time its process has taken, from its very start. */
function programOf(name: string, specifier?: string): string {
  const file = join(directory, `${name}.mjs`);
  const imports = specifier === undefined ? '' : `import ${JSON.stringify(specifier)};\n`;
  writeFileSync(file, `${imports}const { user, system } = process.cpuUsage();\nconsole.log(user + system);\n`);
  return file;
}

function processorTime(program: string): number {
  return Number(execFileSync(process.execPath, [program], { encoding: 'utf8' }));
}

const ENTRIES = ['index', 'machine', 'acp'];
const empty = programOf('empty');
const zod = programOf('zod', import.meta.resolve('zod/mini'));
const ours = ENTRIES.map((entry) => programOf(entry, new URL(`../../../../dist/${entry}.js`, import.meta.url).href));

const rounds = Array.from({ length: IS_QUICK ? 2 : 25 }, () => {
  const start = processorTime(empty);
  return { zod: processorTime(zod) - start, ours: ours.map((program) => processorTime(program) - start) };
});
rmSync(directory, { recursive: true });

report(
  ENTRIES.map((entry, index): Row => ({
    workload: `cold import of dist/${entry}.js, beyond an empty program`,
    peer: '`zod/mini` from its package',
    figure: 'times the time',
    ratio: spread(rounds.map((round) => (round.ours[index] ?? NaN) / round.zod)),
    ...(entry === 'index' && { target: { atMost: 0.15 }, isHeadline: true }),
  })),
);
