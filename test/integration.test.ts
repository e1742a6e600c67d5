import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fencedBlocks, runSnippet } from './snippets.ts';

const guide = readFileSync('docs/integration.md', 'utf8');

/** The blocks of a language and a chapter, one after the other. */
function blocks(language: string, chapter: string): string {
  return fencedBlocks(guide, `${language} ${chapter}`).join('\n');
}

test.each(['daemon', 'acp'])('the blocks of the chapter %s are one program and print what it promises', (chapter) => {
  expect(runSnippet(blocks('ts', chapter))).toBe(blocks('text', chapter));
});

test('every block belongs to a chapter, so that a test runs it', () => {
  expect([...guide.matchAll(/^```(\S+)(.*)$/gm)].filter(([, , chapter]) => chapter?.trim() === '')).toEqual([]);
});
