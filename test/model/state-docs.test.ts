import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { collectStateDocs } from './state-docs.ts';
import { stateDocs } from './written-docs.ts';

describe('the generated documentation', () => {
  test('names a rule for every transition, and none for what cannot happen', () => {
    const { rows, unusedRules } = collectStateDocs();
    expect(rows.filter(({ rules }) => !/^[A-Z]\d+(, [A-Z]\d+)*$/.test(rules))).toEqual([]);
    expect(unusedRules).toEqual([]);
  });

  test('is what the exploration writes: run `npm run state-docs` when it is not', async () => {
    for (const { path, text } of await stateDocs()) {
      expect(await readFile(new URL(`../../${path}`, import.meta.url), 'utf8'), path).toBe(text);
    }
  });
});
