/**
 * Fails when a rule of docs/requirements.md has no passing test that carries its id. Reads the report of the test run,
 * so that a test which was skipped or failed shows nothing.
 */
import { readFileSync } from 'node:fs';
import { passedTestsByFile } from './test-report.ts';

const rules = [...readFileSync('docs/requirements.md', 'utf8').matchAll(/^- \*\*([A-Z]\d+)\*\*/gm)].map(([, id]) => id);
const shown = new Set(
  passedTestsByFile().flatMap(({ name }) => [...name.matchAll(/\[([A-Z]\d+)\]/g)].map(([, id]) => id)),
);
const missing = rules.filter((id) => !shown.has(id));

if (rules.length === 0) throw new Error('docs/requirements.md lists no rule: each begins with `- **ID**`.');
if (missing.length > 0) {
  console.error(`No passing test carries the id of: ${missing.join(', ')}. Name one \`[${missing[0] ?? ''}] …\`.`);
  process.exitCode = 1;
} else {
  console.log(`Each of the ${rules.length} rules has a passing test.`);
}
