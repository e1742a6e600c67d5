import type { AgentContext } from '@agentclientprotocol/sdk';
import {
  drainAnswered,
  drainAsked,
  NO_DRAINS,
  readDrainAnswer,
  readDrainError,
  takeDrained,
} from 'todo-stop-guard/acp';
import type { DrainLedger } from 'todo-stop-guard/acp';
import type { DrainedMessages } from '../host/surface.ts';
import { unlessAborted } from '../host/unless-aborted.ts';

const METHOD = 'craft/drainMidTurnQueue';
const TIME_LIMIT_MS = 2_000;

/** One session's way to the messages that its user has typed while a turn runs: the client keeps them until they are asked for. */
export class MidTurnQueue {
  readonly #client: AgentContext;
  readonly #sessionId: string;
  #ledger: DrainLedger = NO_DRAINS;

  constructor(client: AgentContext, sessionId: string) {
    this.#client = client;
    this.#sessionId = sessionId;
  }

  /**
   * Asks the client. It has two seconds; the messages of a later answer open the next drain (D3). A client without the
   * method has no queue (D1).
   *
   * @param promptId - the turn that asks, by the name that the client knows.
   * @param signal - ends the waiting. What was answered until then is returned all the same.
   */
  async drain(promptId: string, signal: AbortSignal): Promise<DrainedMessages> {
    const request = this.#client.request(METHOD, { sessionId: this.#sessionId, promptId });
    this.#ledger = drainAsked(this.#ledger, request);
    const answered = request.then(readDrainAnswer, readDrainError).then((answer) => {
      this.#ledger = drainAnswered(this.#ledger, request, answer);
    });
    // Whichever ends the waiting, the ledger knows what there is.
    await unlessAborted(answered, AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT_MS)])).catch(() => undefined);
    const { ledger, messages, hasQueuedPrompt } = takeDrained(this.#ledger, request);
    this.#ledger = ledger;
    return { messages, hasQueuedPrompt };
  }

  /** The session is gone: whatever is answered from now on is dropped whole (D3). */
  dispose(): void {
    this.#ledger = NO_DRAINS;
  }
}
