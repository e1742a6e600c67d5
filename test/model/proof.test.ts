import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FULL, proveWhole, renderProof } from '../../scripts/proof.ts';
import { INVARIANTS } from './invariants.ts';
import { MUTANTS } from './mutants.ts';

const kept = readFileSync('docs/generated/proof.md', 'utf8');

test('[B1] what the proof says of the whole machine is what an exploration finds now', () => {
  const rows = proveWhole();
  expect(rows.flatMap(({ objections }) => objections)).toEqual([]);
  // All but the two lines of the table's head.
  for (const line of renderProof(rows).split('\n').slice(2)) expect(kept).toContain(line);
}, 240_000);

test('the proof is a full run with as many faults as there are', () => {
  expect(kept).toContain(`| ${INVARIANTS.length} hold in every one of them |`);
  expect(kept).toContain(`| ${MUTANTS.length} of ${MUTANTS.length} found |`);
  for (const count of [FULL.sequences, FULL.sessions, FULL.inputs]) {
    expect(kept).toContain(`| ${count.toLocaleString('en-US')} `);
  }
});
