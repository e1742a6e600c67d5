/**
 * Says in docs/field-reports.md where each row is shown, from the report of the test run: written with `--write`, else
 * compared. A row without a passing test fails either way.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import * as prettier from 'prettier';
import { passedTestsByFile } from './test-report.ts';

const DOCUMENT = 'docs/field-reports.md';

const shownIn = new Map<string, Set<string>>();
for (const { file, name } of passedTestsByFile()) {
  for (const [, id = ''] of name.matchAll(/\[(F\d\d)\]/g)) {
    shownIn.set(id, (shownIn.get(id) ?? new Set()).add(relative(process.cwd(), file)));
  }
}

const before = readFileSync(DOCUMENT, 'utf8');
const missing: string[] = [];
const filled = before.replaceAll(/^\| (F\d\d) (.*)\|[^|]*\|$/gm, (_row, id: string, cells: string) => {
  const files = [...(shownIn.get(id) ?? [])].sort();
  if (files.length === 0) missing.push(id);
  return `| ${id} ${cells}| ${files.map((file) => `\`${file}\``).join(', ')} |`;
});
const after = await prettier.format(filled, {
  ...(await prettier.resolveConfig(DOCUMENT)),
  parser: 'markdown',
});

if (process.argv.includes('--write')) writeFileSync(DOCUMENT, after);
else if (after !== before) {
  console.error(`${DOCUMENT} does not say where its rows are shown now: run \`npm run field-reports\`.`);
  process.exitCode = 1;
}
if (missing.length > 0) {
  console.error(`No passing test carries the id of: ${missing.join(', ')}.`);
  process.exitCode = 1;
} else console.log(`Each of the ${shownIn.size} field reports has a passing test.`);
