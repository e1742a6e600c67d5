/**
 * Keeps the tables of the README true. A table stands between `<!-- NAME -->` and `<!-- /NAME -->`: `sizes` is measured
 * here, any other is the file `docs/generated/NAME.md`.
 *
 *     npx tsx scripts/readme-tables.ts           writes the README
 *     npx tsx scripts/readme-tables.ts --check   fails where the README says something else
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { fillTables } from './fill-tables.ts';

const README = 'README.md';
const sizes = z.array(z.object({ name: z.string(), size: z.number(), sizeLimit: z.number().optional() }));

function measureSizes(): string {
  // It exits with 1 above a limit, which another check of CI tells; the figures are on its output all the same.
  const figures = sizes.parse(
    JSON.parse(execFileSync('npx size-limit --json || true', { encoding: 'utf8', shell: '/bin/sh' })),
  );
  const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} kB`;
  return [
    '| entry | minified and compressed | limit |',
    '| --- | --- | --- |',
    ...figures.map(
      ({ name, size, sizeLimit }) =>
        `| ${name} | ${kilobytes(size)} | ${sizeLimit === undefined ? '' : kilobytes(sizeLimit)} |`,
    ),
  ].join('\n');
}

function contentOf(name: string): string {
  if (name === 'sizes') return measureSizes();
  const file = `docs/generated/${name}.md`;
  if (!existsSync(file)) throw new Error(`${file} is missing: generate it, or take <!-- ${name} --> out of ${README}.`);
  return readFileSync(file, 'utf8');
}

const before = readFileSync(README, 'utf8');
const { text, changed } = fillTables(before, contentOf);
if (!process.argv.includes('--check')) {
  writeFileSync(README, text);
  console.log(changed.length === 0 ? `${README} is up to date.` : `Written anew: ${changed.join(', ')}.`);
} else if (changed.length > 0) {
  console.error(`${README} says something else than what was measured: ${changed.join(', ')}. Run \`npm run readme\`.`);
  process.exitCode = 1;
} else {
  console.log(`${README} says what was measured.`);
}
