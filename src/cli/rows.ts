import { explain } from '../explain.ts';
import type { GuardState } from '../state.ts';
import type { ReplayedStep } from '../trace/index.ts';

/** A step of a session in words, for the terminal and for a page alike. */
export interface TimelineRow {
  readonly line: number;
  /** Empty for what belongs to no turn. */
  readonly turn: string;
  /** What the guard was told. */
  readonly told: string;
  readonly kind: ReplayedStep['decision']['kind'];
  /** The kind of the decision, with its reason if it has one. */
  readonly decided: string;
  readonly meaning: string;
  /** The work chain after the step. */
  readonly chain: string;
}

/** Puts a step into words. A host has chosen the turn's id and the mode, so nothing of them may steer a terminal. */
export function timelineRow({ line, event, decision, state }: ReplayedStep): TimelineRow {
  const { kind } = decision;
  return {
    line,
    turn: event !== null && 'turn' in event ? printable(event.turn) : '',
    told: event === null ? 'todo result' : printable(told(event)),
    kind,
    decided: 'reason' in decision ? `${kind} ${decision.reason}` : kind,
    meaning: explain(decision),
    chain: chainOf(state),
  };
}

function told({ type, ...fields }: NonNullable<ReplayedStep['event']>): string {
  const details = Object.entries(fields).filter(([name]) => name !== 'turn');
  return [type, ...details.map(([name, value]) => `${name}=${String(value)}`)].join(' ');
}

function chainOf(state: GuardState): string {
  if (state.off) return 'off';
  const { chain, maxAttempts } = state;
  switch (chain.status) {
    case 'idle':
      return 'idle';
    case 'armed':
      return `armed: ${chain.unfinishedCount} unfinished, ${chain.spent}/${maxAttempts} spent`;
    case 'paused':
      return `paused until ${chain.until}: ${chain.unfinishedCount} unfinished, ${chain.spent}/${maxAttempts} spent`;
    case 'exhausted':
      return `exhausted: ${chain.unfinishedCount} unfinished`;
    case 'suspended':
      return `suspended: ${chain.reason}`;
  }
}

/** Writes control, format and separator characters as their code points. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}
