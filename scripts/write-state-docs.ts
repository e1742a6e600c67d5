/** Writes the state table and its diagrams into `docs/`, from an exploration of the machine. */
import { writeFile } from 'node:fs/promises';
import { stateDocs } from '../test/model/written-docs.ts';

for (const { path, text } of await stateDocs()) {
  await writeFile(new URL(`../${path}`, import.meta.url), text);
  console.log(`wrote ${path}`);
}
