import { existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';

const REPORT = 'reports/tests.json';

const report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  numTotalTests: z.number(),
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      assertionResults: z.array(z.object({ status: z.string(), fullName: z.string() })),
    }),
  ),
});

/** The runner's own report of the last run with the json reporter. */
export function readTestReport(): z.infer<typeof report> {
  if (!existsSync(REPORT)) throw new Error(`${REPORT} is missing: run \`npm run check\`, which writes it.`);
  return report.parse(JSON.parse(readFileSync(REPORT, 'utf8')));
}

/** The tests that passed, by full name, and the file of each. */
export function passedTestsByFile(): { readonly file: string; readonly name: string }[] {
  return readTestReport().testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'passed').map(({ fullName: name }) => ({ file, name })),
  );
}
