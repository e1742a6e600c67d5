import { randomUUID } from 'node:crypto';
import type {
  ContentBlock,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionUpdate,
} from '@agentclientprotocol/sdk';
import type { AgentListener, DrainedQueue } from './agent-process.ts';
import type { AgentSupervisor } from './agent-supervisor.ts';
import { automaticTurnOf } from './automatic-turn.ts';
import type { EventLogLimits } from './event-log.ts';
import { EventLog } from './event-log.ts';
import type { PromptEnd } from './events.ts';
import { userWords } from './events.ts';
import { MidTurnMessages } from './mid-turn-messages.ts';
import type { PendingPermission } from './pending-permissions.ts';
import { PendingPermissions } from './pending-permissions.ts';
import type { DaemonPrompt, NewPrompt } from './prompt-queue.ts';
import { PromptQueue } from './prompt-queue.ts';
import { messageOf, Refusal } from './refusal.ts';
import type { AgentSide, SessionPlace } from './session-agent.ts';
import { SessionAgent } from './session-agent.ts';

/**
 * A session of the daemon. It owns the prompts, the mid-turn messages, the open questions and the events; the agent owns
 * the loop and the guard. It does the same whoever listens: clients read the events and come and go as they like.
 */
export class DaemonSession implements AgentListener {
  readonly id: string = randomUUID();
  readonly events: EventLog;
  readonly agent: SessionAgent;
  readonly #prompts = new PromptQueue();
  readonly #messages = new MidTurnMessages();
  readonly #permissions = new PendingPermissions();
  /** The turn that the agent runs by itself. */
  #automaticTurn: string | null = null;
  #closing: Promise<void> | null = null;

  private constructor(agents: AgentSupervisor, place: SessionPlace, limits?: EventLogLimits) {
    this.agent = new SessionAgent(agents, place, this);
    this.events = new EventLog(limits);
  }

  /** @throws Error when the agent cannot be started, or refuses the place. */
  static async open(agents: AgentSupervisor, place: SessionPlace, limits?: EventLogLimits): Promise<DaemonSession> {
    const session = new DaemonSession(agents, place, limits);
    await session.agent.current();
    return session;
  }

  /**
   * A session with the history of another one, which inherits neither trust nor what waits there (C6). Its events begin anew.
   *
   * @throws Error when the agent of the other one is gone, and no new one can be started.
   */
  static async branch(agents: AgentSupervisor, origin: DaemonSession, limits?: EventLogLimits): Promise<DaemonSession> {
    const session = new DaemonSession(agents, origin.agent.place, limits);
    await session.agent.branchFrom(origin.agent);
    return session;
  }

  get pendingPermissions(): readonly PendingPermission[] {
    return this.#permissions.all;
  }

  /**
   * Accepts a prompt. It runs at once when nothing runs.
   *
   * @throws Refusal when too many wait.
   */
  prompt(prompt: NewPrompt): DaemonPrompt {
    const accepted = this.#prompts.add(prompt);
    this.events.append({ type: 'prompt_queued', promptId: accepted.id });
    this.#startNext();
    return accepted;
  }

  /**
   * Drops a prompt that waits. The agent is told when it was the last one (O2).
   *
   * @throws Refusal when it does not wait, or not any more.
   */
  drop(promptId: string): void {
    this.#prompts.drop(promptId);
    this.events.append({ type: 'prompt_dropped', promptId });
    if (this.#prompts.hasQueued) return;
    this.agent.tell(({ agent, sessionId }) => agent.queuedPromptDropped(sessionId));
  }

  /**
   * Says something to the turn that runs.
   *
   * @throws Refusal when none runs.
   */
  message(text: string): void {
    if (this.#liveTurn === undefined) {
      throw new Refusal(409, 'No turn runs. Send a prompt instead.');
    }
    this.#messages.add(text);
  }

  /** Cancels the turn that runs, or whatever the agent waits for; prompts that wait are next. */
  cancel(): void {
    this.#prompts.abortRunning();
    this.#permissions.cancelAll();
    this.agent.tell(({ agent, sessionId }) => agent.cancel(sessionId));
  }

  /** @throws Refusal when nothing of that id waits, or it has no such option. */
  answerPermission(requestId: string, optionId: string): void {
    this.#permissions.answer(requestId, optionId);
  }

  /** The client that was asked gives the question back: the agent is told that it was cancelled. */
  cancelPermission(requestId: string): void {
    this.#permissions.cancel(requestId);
  }

  /** Drops a prompt that waits, cancels one that runs; one that has ended stays as it is. */
  cancelPrompt(promptId: string): void {
    if (this.#prompts.running?.id === promptId) this.cancel();
    else if (this.#prompts.isQueued(promptId)) this.drop(promptId);
  }

  /** Ends the session and everything that it has begun. Its last events can still be read by those who read already. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  updated(update: SessionUpdate): void {
    const automatic = automaticTurnOf(update);
    if (automatic?.event === 'started') {
      this.#automaticTurn = automatic.turnId;
      this.events.beginTurn();
    }
    const promptId = this.#liveTurn;
    this.events.append({ type: 'session_update', ...(promptId !== undefined && { promptId }), update });
    if (automatic?.event === 'ended' && automatic.turnId === this.#automaticTurn) {
      this.#automaticTurn = null;
      this.#turnEnded();
    }
  }

  async permission(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse> {
    const pending = this.#permissions.add(request, this.#liveTurn);
    const { question, answered } = pending;
    const promptId = pending.promptId === undefined ? {} : { promptId: pending.promptId };
    this.events.append({ type: 'permission_request', ...promptId, ...question, update: question });
    signal.addEventListener('abort', () => {
      this.#permissions.cancel(question.requestId);
    });
    const optionId = await answered;
    this.events.append({ type: 'permission_resolved', ...promptId, requestId: question.requestId, optionId });
    return { outcome: optionId === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
  }

  /** What waits for a dead agent has failed, and its clients are told so. */
  lost(reason: string): void {
    this.#automaticTurn = null;
    this.#permissions.cancelAll();
    this.events.append({ type: 'agent_lost', error: `The agent ${reason}.` });
    this.#endQueued({ error: LOST });
    this.#turnEnded();
  }

  drain(promptId: string): DrainedQueue {
    return { messages: this.#takeMessages(promptId), hasQueuedPrompt: this.#prompts.hasQueued };
  }

  get #liveTurn(): string | undefined {
    return this.#automaticTurn ?? this.#prompts.running?.id;
  }

  /** One turn at a time: a prompt that came while the agent ran a turn of its own waits for its end, which it hastens (O2). */
  #startNext(): void {
    if (this.#liveTurn !== undefined || this.#closing !== null) return;
    const next = this.#prompts.startNext();
    if (next !== null) void this.#run(next);
  }

  async #run(prompt: DaemonPrompt): Promise<void> {
    const { id } = prompt;
    this.events.beginTurn();
    this.events.append({ type: 'prompt_started', promptId: id });
    const end = await this.#play(prompt);
    this.#permissions.cancelAll();
    this.events.append({ type: 'prompt_ended', promptId: id, ...end });
    this.#prompts.settle(id, end);
    this.#turnEnded();
  }

  async #play({ id, content, origin, signal }: DaemonPrompt): Promise<PromptEnd> {
    let side: AgentSide | null = null;
    try {
      side = await this.agent.current();
      if (signal.aborted) return { stopReason: 'cancelled' };
      // A retry or continue leaves them to the next drain, where they count as what they are: new input (C3). So does a
      // prompt that can only fail.
      const unsaid = origin === 'user' && !side.agent.isGone ? this.#takeMessages(id) : [];
      for (const words of content) this.#showWords(id, words);
      const { stopReason, _meta } = await side.agent.prompt({
        sessionId: side.sessionId,
        prompt: [...unsaid.map(textBlock), ...content],
        _meta: { 'qwen.daemon.promptId': id, ...(origin !== 'user' && { [`qwen.daemon.${origin}`]: true }) },
      });
      return { stopReason, ...(_meta && { _meta }) };
    } catch (error) {
      if (side?.agent.isGone !== true) return { error: messageOf(error) };
      // By then `lost` has been called.
      await side.agent.died;
      return { error: LOST };
    }
  }

  #turnEnded(): void {
    if (this.#liveTurn === undefined) this.events.endTurn();
    this.#startNext();
  }

  #endQueued(end: PromptEnd): void {
    for (const promptId of this.#prompts.endQueued(end)) this.events.append({ type: 'prompt_ended', promptId, ...end });
  }

  #takeMessages(promptId: string): readonly string[] {
    const messages = this.#messages.takeAll();
    for (const text of messages) this.#showWords(promptId, textBlock(text));
    return messages;
  }

  #showWords(promptId: string, content: ContentBlock): void {
    this.events.append({ type: 'user_message', promptId, update: userWords(content) });
  }

  async #close(): Promise<void> {
    this.#endQueued({ stopReason: 'cancelled' });
    const { running } = this.#prompts;
    this.#prompts.abortRunning();
    this.#permissions.cancelAll();
    await this.agent.close();
    await running?.ended;
    this.events.append({ type: 'session_closed' });
    this.events.close();
  }
}

/** How a prompt ends whose agent is gone. */
const LOST =
  'The agent process died. What this session had told it is gone; the next prompt starts a new agent, which knows nothing of it.';

function textBlock(text: string): ContentBlock {
  return { type: 'text', text };
}
