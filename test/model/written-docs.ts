import { instance } from '@viz-js/viz';
import {
  chainArrows,
  collectStateDocs,
  dialogueArrows,
  renderDot,
  renderMermaid,
  renderStateTable,
} from './state-docs.ts';

/** A file of the documentation that is written by the exploration. */
export interface WrittenFile {
  /** From the repository's root. */
  readonly path: string;
  readonly text: string;
}

/** The state table and its two diagrams, as they have to stand in `docs/`. */
export async function stateDocs(): Promise<readonly WrittenFile[]> {
  const { rows } = collectStateDocs();
  const [dialogue, chain] = [dialogueArrows(rows), chainArrows(rows)];
  const viz = await instance();
  const draw = (arrows: typeof dialogue): string => viz.renderString(renderDot(arrows), { format: 'svg' });
  return [
    {
      path: 'docs/generated/state-table.md',
      text: stateTable(renderMermaid(dialogue), renderMermaid(chain), renderStateTable(rows)),
    },
    { path: 'docs/generated/stop-dialogue.svg', text: draw(dialogue) },
    { path: 'docs/generated/chain.svg', text: draw(chain) },
  ];
}

function stateTable(dialogue: string, chain: string, table: string): string {
  return `# State table

Written by \`npx tsx scripts/write-state-docs.ts\` from the exploration of the machine itself, with a budget of two. A test
compares this file with a fresh run. Do not edit it.

## The stop dialogue

Signals and answers only; every other fact is in the table. Drawn in [stop-dialogue.svg](stop-dialogue.svg).

${dialogue}

## The chain

Which events change a chain's status. Drawn in [chain.svg](chain.svg).

${chain}

## Every transition

*At* is the step of the live turn's stop, *then at* the step afterwards. *Chain* lists each change of the chain's status
that the line can make. An event of a turn that is not the live one is ignored as stale wherever it comes (T6), and is
left out below. An event that is ignored or held leaves the very same state object.

${table}
`;
}
