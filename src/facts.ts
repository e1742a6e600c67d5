import type { BackgroundId, BackgroundSnapshot } from './background.ts';
import type { GuardEvent } from './events.ts';

type MachineEvent<Type extends GuardEvent['type']> = Extract<GuardEvent, { type: Type }>;
type WithSnapshot<Event> = Omit<Event, 'background'> & {
  /** All background work at this moment. */
  readonly background: BackgroundSnapshot;
};

/**
 * What a host tells a guard: the machine's events, with a background snapshot where the machine takes a boolean. What
 * in it belongs to the chain, the guard finds out (K1, K2).
 */
export type GuardFact =
  | WithSnapshot<MachineEvent<'prompt_started'>>
  | WithSnapshot<
      Omit<MachineEvent<'automatic_turn_requested'>, 'related'> & {
        /** The background work that the turn reports on; `null` for a cron fire, which is never related (K3). */
        readonly source: BackgroundId | null;
      }
    >
  | WithSnapshot<MachineEvent<'looked'>>
  | WithSnapshot<MachineEvent<'turn_settled'>>
  | Exclude<GuardEvent, { type: 'prompt_started' | 'automatic_turn_requested' | 'looked' | 'turn_settled' }>;
