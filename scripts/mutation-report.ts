/** Reads what the last run of `npm run mutation` found. */
import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import type { ProofRow } from './proof.ts';

const REPORT = new URL('../reports/mutation/mutation.json', import.meta.url);
const KILLED_PERCENT_MIN = 95;

const report = z.object({
  files: z.record(z.string(), z.object({ mutants: z.array(z.object({ status: z.string() })) })),
});

/** @throws when there is no report: run `npm run mutation` first. */
export async function readMutationRow(): Promise<ProofRow> {
  const { files } = report.parse(JSON.parse(await readFile(REPORT, 'utf8')));
  const statuses = Object.values(files).flatMap(({ mutants }) => mutants.map(({ status }) => status));
  const killed = statuses.filter((status) => status === 'Killed' || status === 'Timeout').length;
  const total = killed + statuses.filter((status) => status === 'Survived' || status === 'NoCoverage').length;
  const percent = (100 * killed) / total;
  return {
    what: 'mutants of the source',
    shown: `${killed} of ${total} killed (${percent.toFixed(1)} %)`,
    objections: percent < KILLED_PERCENT_MIN ? [`fewer than ${KILLED_PERCENT_MIN} % were killed`] : [],
  };
}
