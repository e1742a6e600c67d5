import type { GuardChain, GuardDecision, GuardNotice, GuardState, GuardTurn } from 'todo-stop-guard/machine';

/** A decision on one line, for tables and transcripts. */
export function printDecision(decision: GuardDecision): string {
  switch (decision.kind) {
    case 'look':
    case 'run_stop_hooks':
    case 'prepare':
      return decision.kind;
    case 'send':
      return `send ${decision.carries.join(' + ')} (${decision.attempt} of ${decision.maxAttempts}${printPrompt(decision.prompt)})`;
    case 'continue':
      return `continue ${decision.carries.join(' + ')}`;
    case 'stop':
      return `stop ${decision.reason}${printNotice(decision.notice)}`;
    case 'admit':
      return `admit ${decision.chain}`;
    case 'hold':
      return `hold ${decision.reason}`;
    case 'noted':
      return `noted${printNotice(decision.notice)}${decision.released === true ? ', released' : ''}`;
    case 'ignored':
      return `ignored ${decision.reason}`;
  }
}

function printPrompt(prompt: string | undefined): string {
  if (prompt === undefined) return '';
  const [, count] = /^\[Todo Stop Guard\] (\d+) todo item/.exec(prompt) ?? [];
  return `, asks for ${String(count)}${prompt.includes('final automatic continuation') ? ', last call' : ''}`;
}

function printNotice(notice: GuardNotice | undefined): string {
  if (notice === undefined) return '';
  return `, notice of ${notice.about} ${notice.attempt} of ${notice.maxAttempts}, ${notice.unfinishedCount} unfinished`;
}

/** A state on one line: the chain, the turn, and what else is true. */
export function printState(state: GuardState): string {
  if (state.off) return 'off';
  return [
    printChain(state.chain),
    printTurn(state.turn),
    ...(state.queuedPrompt ? ['queued prompt'] : []),
    ...(state.plan ? ['plan'] : []),
  ].join(' | ');
}

export function printChain(chain: GuardChain): string {
  switch (chain.status) {
    case 'idle':
      return `idle${printSpent(chain.spent)}`;
    case 'armed':
      return `armed ${chain.unfinishedCount}${printSpent(chain.spent)}`;
    case 'paused':
      return `${chain.until} ${chain.unfinishedCount}${printSpent(chain.spent)}`;
    case 'exhausted':
      return `exhausted ${chain.unfinishedCount}`;
    case 'suspended':
      return `suspended ${chain.reason}`;
  }
}

function printSpent(spent: number): string {
  return spent === 0 ? '' : ` spent ${spent}`;
}

export function printTurn(turn: GuardTurn | null): string {
  if (turn === null) return 'no turn';
  return `${turn.id}${turn.automatic ? ' (automatic)' : ''} ${printStop(turn)}`;
}

function printStop({ stop }: GuardTurn): string {
  switch (stop.at) {
    case 'working':
    case 'guard_stream':
    case 'stopped':
    case 'continuing':
      return stop.at;
    case 'looking':
      return `looking before ${stop.before}${printHand(stop.hand)}`;
    case 'hooks':
      return stop.sitsOut ? 'hooks sitting out' : 'hooks';
    case 'preparing':
    case 'sending':
      return `${stop.at}${printHand(stop.hand)}`;
  }
}

function printHand(hand: string): string {
  return hand === 'nothing' ? '' : ` with ${hand}`;
}
