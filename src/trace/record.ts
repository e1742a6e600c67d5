import * as z from 'zod/mini';
import type { GuardReport } from '../report.ts';
import type { GuardState } from '../state.ts';
import { decisionSchema, eventSchema, LIBRARY_VERSION, problems } from './lines.ts';
import type { TraceHeader, TraceLine, TracedGuard } from './lines.ts';

/**
 * Records what a guard is told and decides, as JSON lines for a bug report:
 *
 *     new DaemonTodoStopGuard(options, recordTrace((line) => file.write(`${line}\n`)))
 *
 * A trace holds the turns' ids, the approval mode, counts and the closed words of events and decisions. It holds no Todo
 * text and no prompt, the guard's own included (T4).
 *
 * @param write - is given one line at a time, without its line break. When it throws, the trace ends there: what was
 * written replays all the same, and the guard is not disturbed.
 * @returns the `report` of one guard; a second guard needs a recorder of its own.
 */
export function recordTrace(write: (line: string) => void): (report: GuardReport) => void {
  let recording = true;
  return (report) => {
    if (!recording) return;
    try {
      write(JSON.stringify(traced(report)));
    } catch {
      recording = false;
    }
  };
}

function traced(report: GuardReport): TraceHeader | TraceLine {
  if ('began' in report) {
    return { trace: 'todo-stop-guard', format: 1, library: LIBRARY_VERSION, guard: tracedGuard(report.began) };
  }
  if ('refused' in report) return { refused: report.refused };
  // An untyped host may tell a word where a flag belongs. It is named, and not repeated: it may be Todo text.
  const event = eventSchema.safeParse(report.event);
  if (!event.success) return { malformed: `${report.event.type}: ${problems(event.error)}` };
  return { event: event.data, decision: z.parse(decisionSchema, report.decision) };
}

function tracedGuard(state: GuardState): TracedGuard {
  return state.off ? { enabled: false } : { enabled: true, maxAttempts: state.maxAttempts, plan: state.plan };
}
