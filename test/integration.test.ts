import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const guide = readFileSync('docs/integration.md', 'utf8');
// Inside the repository, so that the snippets find the packages by their names.
let folder: string;

beforeAll(() => {
  folder = mkdtempSync('test/integration-');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** The fenced blocks of a language and a chapter, one after the other. */
function blocks(language: string, chapter: string): string {
  const fenced = new RegExp(`^\`\`\`${language} ${chapter}\\n(.*?)^\`\`\``, 'gms');
  return [...guide.matchAll(fenced)].map(([, text]) => text).join('\n');
}

test.each(['daemon', 'acp'])('the blocks of the chapter %s are one program and print what it promises', (chapter) => {
  const file = join(folder, `${chapter}.ts`);
  writeFileSync(file, blocks('ts', chapter));
  const printed = execFileSync(process.execPath, ['--import', 'tsx', file], { encoding: 'utf8' });
  expect(printed).toBe(blocks('text', chapter));
});

test('every block belongs to a chapter, so that a test runs it', () => {
  expect([...guide.matchAll(/^```(\S+)(.*)$/gm)].filter(([, , chapter]) => chapter?.trim() === '')).toEqual([]);
});
