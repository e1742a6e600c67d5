import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { step } from 'todo-stop-guard/machine';
import type { GuardState } from 'todo-stop-guard/machine';
import { parseEvent } from '../step/parse-event.ts';
import { printDecision, printState } from '../step/print.ts';
import { guardOn } from '../step/scenario.ts';

/**
 * Plays the events of a transcript, the lines that begin with `>`, and writes under each what the machine has decided
 * and where it then is. Comments and blank lines stay; a `#` line after a blank one begins a new story.
 */
function replay(transcript: string): string {
  let state: GuardState = guardOn();
  return transcript
    .split('\n')
    .filter((line) => !line.startsWith('  '))
    .flatMap((line) => {
      if (line.startsWith('# ')) state = guardOn();
      if (!line.startsWith('> ')) return [line];
      const next = step(state, parseEvent(line.slice(2)));
      const where = next.state === state ? 'unchanged' : printState(next.state);
      state = next.state;
      return [line, `  ${printDecision(next.decision)}`, `  [${where}]`];
    })
    .join('\n');
}

const folder = new URL('./', import.meta.url);
const names = readdirSync(folder).filter((name) => name.endsWith('.txt'));

describe('a transcript', () => {
  // `npx vitest run test/transcripts -u` writes the answers anew. Review them: they are what hosts rely on.
  it.each(names)('%s is what the machine says', async (name) => {
    const transcript = readFileSync(new URL(name, folder), 'utf8');
    await expect(replay(transcript)).toMatchFileSnapshot(name);
  });

  it('is there for every dialogue that people review', () => {
    expect(names).toHaveLength(14);
  });
});
