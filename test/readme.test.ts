import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fencedBlocks, runSnippet } from './snippets.ts';

const readme = readFileSync('README.md', 'utf8');

/** The first block of a language. */
function block(language: string): string {
  const [text] = fencedBlocks(readme, language);
  if (text === undefined) throw new Error(`README.md has no block of ${language}.`);
  return text;
}

test('the README is under 200 lines', () => {
  expect(readme.split('\n').length).toBeLessThan(200);
});

test('the host loop of the README runs and prints what the README says', () => {
  const promised = block('text').replaceAll(/ +# .*$/gm, '');
  expect(runSnippet(block('ts'))).toBe(promised);
});
