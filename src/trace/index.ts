/**
 * A session's events and decisions as a file, to report a bug with, and the same session played again.
 *
 * An entry of its own, since only those who look for a bug need it.
 *
 * @module
 */
export type { TracedDecision, TracedGuard, TracedNotice, TraceHeader } from './lines.ts';
export { readTrace, TraceError } from './read.ts';
export type { Trace, TraceEntry } from './read.ts';
export { recordTrace } from './record.ts';
export { replayTrace } from './replay.ts';
export type { ReplayedStep, TraceDeparture, TraceReplay } from './replay.ts';
