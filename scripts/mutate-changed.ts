/**
 * Judges mutants of the source files that have changed since a commit: the one before, or `MUTATION_BASE`. Where nothing
 * that is mutated has changed, there is nothing to judge.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import * as z from 'zod';

const { mutate } = z
  .object({ mutate: z.array(z.string()) })
  .parse(JSON.parse(readFileSync('stryker.config.json', 'utf8')));
const base = process.env['MUTATION_BASE'] ?? 'HEAD~1';
const changed = execFileSync('git', ['diff', '--name-only', '--diff-filter=d', base, '--', 'src'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => mutate.some((path) => file.startsWith(path.replace(/\*.*/, ''))));

if (changed.length === 0) console.log(`No file that is mutated has changed since ${base}.`);
else execFileSync('npx', ['stryker', 'run', '--mutate', changed.join(',')], { stdio: 'inherit' });
