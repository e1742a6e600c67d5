/** `npm run prove`: runs every proof in full and prints one short table. It fails when one of them does. */
import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { readMutationRow } from './mutation-report.ts';
import { FULL, proveAgreement, proveDoors, proveFaultsFound, proveSessions, proveWhole, renderProof } from './proof.ts';

const options = new Command('prove')
  .description('Explores the machine whole, compares it with a second one, plays sessions, and feeds every door.')
  .option('--sequences <n>', 'random sequences', Number, FULL.sequences)
  .option('--sessions <n>', 'random sessions', Number, FULL.sessions)
  .option('--inputs <n>', 'hostile inputs', Number, FULL.inputs)
  .option('--seed <n>', 'the same seed tries the same things', Number, FULL.seed)
  .option('--write', 'keep the table for the README')
  .option('--mutation', 'add what the last `npm run mutation` found')
  .parse()
  .opts<typeof FULL & { mutation?: true; write?: true }>();

const rows = [
  ...proveWhole(),
  proveFaultsFound(),
  proveAgreement(options),
  await proveSessions(options),
  proveDoors(options),
  ...(options.mutation === true ? [await readMutationRow()] : []),
];
const table = renderProof(rows);
console.log(table);
if (options.write === true) writeFileSync('docs/generated/proof.md', `${table}\n`);

const objections = rows.flatMap(({ what, objections: found }) => found.map((each) => `${what}: ${each}`));
for (const objection of objections) console.error(objection);
process.exitCode = objections.length === 0 ? 0 : 1;
