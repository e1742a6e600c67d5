import type { GuardDecision } from '../../src/decisions.ts';
import type { GuardEvent } from '../../src/events.ts';

/**
 * What an onlooker remembers of the path to a state, judged by events and decisions alone: what the machine says about
 * itself is never believed. It is explored together with the state, so that the invariants hold along every path.
 */
export interface Memory {
  /** Guard streams since the last user input or new chain. */
  readonly guardStreams: number;
  /** Exhaustion has been said since the last user input or new chain. */
  readonly exhaustionSaid: boolean;
  /** The request that was ordered and has not opened yet. */
  readonly ordered: 'guard' | 'guard_with_hook' | 'host' | null;
  /** Streams that were opened since the last stop signal that was taken. */
  readonly opened: number;
  /** The machine has ordered the turn to stop, and nothing of the user's has come since. */
  readonly toldToStop: boolean;
}

export const NOTHING_REMEMBERED: Memory = {
  guardStreams: 0,
  exhaustionSaid: false,
  ordered: null,
  opened: 0,
  toldToStop: false,
};

/** What the onlooker remembers after one more event and its answer. */
export function remember(memory: Memory, event: GuardEvent, decision: GuardDecision): Memory {
  switch (decision.kind) {
    case 'admit':
      return decision.chain === 'new' ? NOTHING_REMEMBERED : { ...memory, ordered: null, opened: 0, toldToStop: false };
    case 'send':
      return { ...memory, ordered: decision.carries.includes('stop_hook_reason') ? 'guard_with_hook' : 'guard' };
    case 'continue':
      return {
        ...(decision.carries.includes('user_messages') ? freshStage(memory) : memory),
        ordered: 'host',
        opened: event.type === 'tools_finished' ? 0 : memory.opened,
      };
    case 'stop':
      return {
        ...memory,
        ordered: null,
        toldToStop: true,
        exhaustionSaid: memory.exhaustionSaid || decision.notice?.about === 'exhaustion',
      };
    case 'look':
    case 'run_stop_hooks':
      return event.type === 'model_stopped' || event.type === 'tools_finished' ? { ...memory, opened: 0 } : memory;
    case 'noted':
      return rememberFact(memory, event);
    case 'prepare':
    case 'hold':
    case 'ignored':
      return memory;
  }
}

function rememberFact(memory: Memory, event: GuardEvent): Memory {
  switch (event.type) {
    case 'stream_opened':
      return opens({ ...memory, opened: memory.opened + 1 });
    case 'turn_settled':
      // In doubt, it was sent (B2).
      return { ...opens(memory), opened: 0, toldToStop: false };
    case 'user_message_sent':
      // The host's own request is out.
      return { ...freshStage(memory), ordered: memory.ordered === 'host' ? 'host' : null, toldToStop: false };
    case 'chain_ended':
    case 'approval_mode_changed':
      // The guard's own send is taken back; a stream of it that opens all the same has to be ignored.
      return memory.ordered === 'guard' ? { ...memory, ordered: null, toldToStop: true } : memory;
    default:
      return memory;
  }
}

function opens(memory: Memory): Memory {
  const isGuards = memory.ordered === 'guard' || memory.ordered === 'guard_with_hook';
  return { ...memory, guardStreams: memory.guardStreams + (isGuards ? 1 : 0), ordered: null };
}

function freshStage(memory: Memory): Memory {
  return { ...memory, guardStreams: 0, exhaustionSaid: false };
}
