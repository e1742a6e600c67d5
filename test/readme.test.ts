import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const readme = readFileSync('README.md', 'utf8');
// Inside the repository, so that the snippet finds the package by its name.
let folder: string;

beforeAll(() => {
  folder = mkdtempSync('test/readme-');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** The first fenced block of a language. */
function block(language: string): string {
  const [, text] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(readme) ?? [];
  if (text === undefined) throw new Error(`README.md has no block of ${language}.`);
  return text;
}

test('the README is under 200 lines', () => {
  expect(readme.split('\n').length).toBeLessThan(200);
});

test('the host loop of the README runs and prints what the README says', () => {
  const file = join(folder, 'loop.ts');
  writeFileSync(file, block('ts'));
  const printed = execFileSync(process.execPath, ['--import', 'tsx', file], { encoding: 'utf8' });
  const promised = block('text').replaceAll(/ +# .*$/gm, '');
  expect(printed).toBe(promised);
});
