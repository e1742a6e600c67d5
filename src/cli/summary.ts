import { LIBRARY_VERSION } from '../trace/lines.ts';
import type { Trace, TraceReplay } from '../trace/index.ts';
import { printable } from './rows.ts';

/** What the guard of a trace was. */
export function summarise({ header }: Trace): string {
  const { enabled, maxAttempts, plan } = header.guard;
  const parts = enabled
    ? ['guard on', ...(maxAttempts === undefined ? [] : [`maxAttempts ${maxAttempts}`]), ...(plan ? ['plan mode'] : [])]
    : ['guard off'];
  return `Recorded by todo-stop-guard ${header.library}: ${parts.join(', ')}.`;
}

/** Whether the trace replays, as lines of text. */
export function verdict({ header }: Trace, { steps, departure }: TraceReplay): readonly string[] {
  if (departure === null) return [`Replays to the same decisions: ${steps.length} steps.`];
  const { line, expected, got } = departure;
  return [
    `Departs at line ${line}.`,
    `The trace says: ${printable(JSON.stringify(expected))}`,
    `This version decides: ${printable(JSON.stringify(got))}`,
    ...(header.library === LIBRARY_VERSION
      ? []
      : [`Replay it with the version that recorded it: npx todo-stop-guard@${header.library}.`]),
  ];
}
