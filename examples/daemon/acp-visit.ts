import type { AgentContext } from '@agentclientprotocol/sdk';
import { methods } from '@agentclientprotocol/sdk';
import type { LoggedEvent } from './event-log.ts';
import type { PromptEnd } from './events.ts';
import type { PendingPermission } from './pending-permissions.ts';
import type { DaemonSession } from './session.ts';

/**
 * An ACP client in a session: it is shown the session's events from some place on, and asked the session's questions.
 * What it fails to answer stays open (D4).
 */
export class AcpVisit {
  readonly session: DaemonSession;
  /** Resolves when the client has been sent everything that there was when the visit began. */
  readonly replayed: Promise<void>;
  readonly #client: AgentContext;
  readonly #leaving = new AbortController();
  readonly #waiting = new Map<string, (end: PromptEnd) => void>();

  /**
   * @param after - the id of the last event that the client knows.
   * @param over - called when the session has ended.
   */
  constructor(client: AgentContext, session: DaemonSession, after: number, over: () => void) {
    this.#client = client;
    this.session = session;
    this.replayed = new Promise((resolve) => {
      void this.#forward(after, resolve).then(() => {
        if (!this.#leaving.signal.aborted) over();
        this.end();
      });
    });
  }

  /** Resolves when a prompt has ended and the client has been shown everything up to there. */
  ended(promptId: string): Promise<PromptEnd> {
    return new Promise((resolve) => {
      this.#waiting.set(promptId, resolve);
    });
  }

  /** The client is shown nothing more. Its prompts go on. */
  end(): void {
    this.#leaving.abort();
    for (const answer of this.#waiting.values())
      answer({ error: 'Another client has loaded the session, or it is over.' });
    this.#waiting.clear();
  }

  async #forward(after: number, replayed: () => void): Promise<void> {
    const known = this.session.events.newest;
    if (after >= known) replayed();
    for await (const logged of this.session.events.follow(after, this.#leaving.signal)) {
      // A client that cannot be reached misses it; it is in the log.
      await this.#show(logged, logged.through <= known).catch(() => undefined);
      if (logged.through >= known) replayed();
    }
    replayed();
  }

  async #show({ event }: LoggedEvent, isReplay: boolean): Promise<void> {
    switch (event.type) {
      case 'session_update':
        await this.#update(event.update);
        return;
      case 'user_message':
        // Who has just sent a prompt knows its words.
        if (isReplay || !this.#waiting.has(event.promptId)) await this.#update(event.update);
        return;
      case 'permission_request': {
        const pending = this.session.pendingPermissions.find(({ question }) => question.requestId === event.requestId);
        if (pending !== undefined) void this.#ask(pending);
        return;
      }
      case 'prompt_ended':
        this.#answer(event.promptId, event);
        return;
      case 'prompt_dropped':
        this.#answer(event.promptId, { stopReason: 'cancelled' });
        return;
      case 'prompt_queued':
      case 'prompt_started':
      case 'permission_resolved':
      case 'agent_lost':
      case 'session_closed':
      case 'gap':
        return;
    }
  }

  #update(update: Parameters<typeof this.session.updated>[0]): Promise<void> {
    return this.#client.notify(methods.client.session.update, { sessionId: this.session.id, update });
  }

  /** Puts a question to the client, until it is answered from wherever. */
  async #ask({ question, answered }: PendingPermission): Promise<void> {
    const { requestId, toolCall, options } = question;
    const settled = new AbortController();
    void answered.then(() => {
      settled.abort();
    });
    const leaving = this.#leaving.signal;
    try {
      const { outcome } = await this.#client.request(
        methods.client.session.requestPermission,
        { sessionId: this.session.id, toolCall, options: [...options] },
        { cancellationSignal: AbortSignal.any([leaving, settled.signal]) },
      );
      // What a client says when it is told that its answer is not wanted any more is no answer.
      if (leaving.aborted || settled.signal.aborted) return;
      if (outcome.outcome === 'selected') this.session.answerPermission(requestId, outcome.optionId);
      else this.session.cancelPermission(requestId);
    } catch {
      // A client that has left, or answers nonsense, has answered nothing (D4).
    }
  }

  #answer(promptId: string, end: PromptEnd): void {
    this.#waiting.get(promptId)?.(end);
    this.#waiting.delete(promptId);
  }
}
