import { randomUUID } from 'node:crypto';
import type { RequestPermissionRequest } from '@agentclientprotocol/sdk';
import type { PermissionQuestion } from './events.ts';
import { Refusal } from './refusal.ts';

/** A question that nobody has answered yet. */
export interface PendingPermission {
  readonly question: PermissionQuestion;
  readonly promptId: string | undefined;
  /** The chosen option; `null` when it was cancelled. Resolves however many clients have come and gone in between. */
  readonly answered: Promise<string | null>;
}

/**
 * The permission requests of a session. Each waits for an answer or for a cancel, and for nothing else: that nobody is
 * connected is no answer (D4).
 */
export class PendingPermissions {
  readonly #pending = new Map<string, { readonly pending: PendingPermission; readonly settle: Settle }>();

  get all(): readonly PendingPermission[] {
    return [...this.#pending.values()].map(({ pending }) => pending);
  }

  add({ toolCall, options }: RequestPermissionRequest, promptId: string | undefined): PendingPermission {
    const question = { requestId: randomUUID(), toolCall, options };
    let settle: Settle = () => undefined;
    const answered = new Promise<string | null>((resolve) => {
      settle = resolve;
    });
    const pending = { question, promptId, answered };
    this.#pending.set(question.requestId, { pending, settle });
    return pending;
  }

  /** @throws Refusal when nothing of that id waits, or it has no such option. */
  answer(requestId: string, optionId: string): void {
    const entry = this.#pending.get(requestId);
    if (entry === undefined) {
      throw new Refusal(404, `No permission request ${requestId} waits; it was answered, was cancelled or never was.`);
    }
    const { options } = entry.pending.question;
    if (!options.some((option) => option.optionId === optionId)) {
      const known = options.map((option) => option.optionId).join(', ');
      throw new Refusal(400, `optionId must be one of ${known}.`);
    }
    this.#settle(requestId, optionId);
  }

  cancel(requestId: string): void {
    this.#settle(requestId, null);
  }

  cancelAll(): void {
    for (const requestId of [...this.#pending.keys()]) this.cancel(requestId);
  }

  #settle(requestId: string, optionId: string | null): void {
    const entry = this.#pending.get(requestId);
    this.#pending.delete(requestId);
    entry?.settle(optionId);
  }
}

type Settle = (optionId: string | null) => void;
