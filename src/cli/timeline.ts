import type pc from 'picocolors';
import type { Trace, TraceReplay } from '../trace/index.ts';
import { timelineRow } from './rows.ts';
import type { TimelineRow } from './rows.ts';
import { summarise, verdict } from './summary.ts';

type Colours = ReturnType<typeof pc.createColors>;

const COLOUR = {
  look: 'dim',
  run_stop_hooks: 'dim',
  prepare: 'dim',
  send: 'green',
  continue: 'cyan',
  stop: 'magenta',
  admit: 'cyan',
  hold: 'yellow',
  noted: 'reset',
  ignored: 'gray',
} satisfies Record<TimelineRow['kind'], Exclude<keyof Colours, 'isColorSupported' | 'createColors'>>;

/** The session as text: two lines a step, the steps of a turn under its id. */
export function timeline(trace: Trace, replay: TraceReplay, colours: Colours): string {
  const lines = [summarise(trace)];
  let turn: string | null = null;
  for (const row of replay.steps.map(timelineRow)) {
    if (row.turn !== '' && row.turn !== turn) {
      turn = row.turn;
      lines.push('', colours.bold(turn));
    }
    const number = String(row.line).padStart(5);
    lines.push(
      `${colours.dim(number)}  ${row.told}  ${colours.dim(`[${row.chain}]`)}`,
      `       ${colours[COLOUR[row.kind]](row.decided)}: ${row.meaning}`,
    );
  }
  const colour = replay.departure === null ? colours.green : colours.red;
  return [...lines, '', ...verdict(trace, replay).map((line) => colour(line)), ''].join('\n');
}
