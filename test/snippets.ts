import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The fenced blocks of a paper that begin with these words, in order. */
export function fencedBlocks(paper: string, words: string): readonly string[] {
  return [...paper.matchAll(new RegExp(`^\`\`\`${words}\\n(.*?)^\`\`\``, 'gms'))].map(([, text]) => text ?? '');
}

/** Runs a snippet as a reader would, and returns what it prints. It stands in the repository, so that it finds the packages by their names. */
export function runSnippet(program: string): string {
  const folder = mkdtempSync('test/snippet-');
  try {
    const file = join(folder, 'snippet.ts');
    writeFileSync(file, program);
    return execFileSync(process.execPath, ['--import', 'tsx', file], { encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
