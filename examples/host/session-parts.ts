import type { ActiveTodoReminderStore, BackgroundSnapshot } from 'todo-stop-guard';
import type { BackgroundRegistry } from './background.ts';
import type { HostFlags } from './flags.ts';
import type { HostGuard } from './host-guard.ts';
import type { Model } from './model.ts';
import type { ToolHouse } from './run-call.ts';
import type { SessionSurface } from './surface.ts';

/** What the turns of a session share. The functions tell how things stand now. */
export interface SessionParts extends ToolHouse {
  readonly flags: HostFlags;
  readonly model: Model;
  readonly guard: HostGuard;
  readonly reminders: ActiveTodoReminderStore;
  readonly background: BackgroundRegistry;
  readonly surface: SessionSurface;
  readonly cwd: () => string;
  /** All background work, queued notifications included. */
  readonly snapshot: () => BackgroundSnapshot;
}

/** A request is refused by `--token-limit`. */
export class TokenLimitError extends Error {
  override readonly name = 'TokenLimitError';
}

/**
 * Refuses a request whose history is past the limit, by the provider's last count.
 *
 * @throws TokenLimitError
 */
export function checkTokenLimit({ tokenLimit }: HostFlags, promptTokens: number | null): void {
  if (tokenLimit !== undefined && promptTokens !== null && promptTokens > tokenLimit) {
    throw new TokenLimitError(`The history has ${promptTokens} tokens; the limit is ${tokenLimit}.`);
  }
}
