import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GuardNotice } from 'todo-stop-guard';
import { onTestFinished } from 'vitest';
import type { SessionOptions } from '../../examples/host/assemble-parts.ts';
import type { HostFlags } from '../../examples/host/flags.ts';
import { connectModel } from '../../examples/host/model.ts';
import { HostSession } from '../../examples/host/session.ts';
import type { DrainedMessages, PermissionAnswer, SessionSurface } from '../../examples/host/surface.ts';
import type { Todo } from '../../examples/host/tools/todo-write.ts';
import type { TurnResult } from '../../examples/host/turn.ts';
import type { ChatRequest } from '../../examples/scripted-model/request.ts';
import { textOf } from '../../examples/scripted-model/request.ts';
import type { ScriptInput } from '../../examples/scripted-model/script.ts';
import type { ScriptedModel } from '../../examples/scripted-model/server.ts';
import { startScriptedModel } from '../../examples/scripted-model/server.ts';
import { Watch } from '../../examples/scripted-model/watch.ts';

/** The flags of a session that shows the guard; a test changes what it is about. */
export const GUARDED: HostFlags = {
  todoStopGuard: true,
  approvalMode: 'yolo',
  safeMode: false,
  bare: false,
  stopHook: [],
  postToolHook: [],
  followUps: false,
};

/** A surface that writes down what it is shown, and says what a test wants it to say. */
export class RecordingSurface implements SessionSurface {
  /** One word or line for each thing shown, in order. */
  readonly log: string[] = [];
  readonly notices: GuardNotice[] = [];
  readonly plans: (readonly Todo[])[] = [];
  readonly results: { readonly automatic: boolean; readonly text: string; readonly result: TurnResult }[] = [];
  /** Answers the next drains, one each; after that the queue is empty. */
  readonly drains: (DrainedMessages | (() => Promise<DrainedMessages>))[] = [];
  permissionAnswer: (tool: string, signal: AbortSignal) => Promise<PermissionAnswer> = () => Promise.resolve('allowed');
  readonly #watch = new Watch();

  /** Resolves as soon as something that was shown, now or later, makes this true. */
  until(isSo: () => boolean): Promise<void> {
    return this.#watch.until(isSo);
  }

  untilLogged(entry: string): Promise<void> {
    return this.until(() => this.log.includes(entry));
  }

  turnStarted: SessionSurface['turnStarted'] = ({ id, automatic }) => {
    this.#add(`${id} starts${automatic ? ' by itself' : ''}`);
  };
  text: SessionSurface['text'] = () => undefined;
  toolStarted: SessionSurface['toolStarted'] = ({ name, bySubAgent }) => {
    this.#add(`${bySubAgent ? 'sub-agent: ' : ''}${name} starts`);
  };
  toolFinished: SessionSurface['toolFinished'] = ({ name, bySubAgent }, { succeeded }) => {
    this.#add(`${bySubAgent ? 'sub-agent: ' : ''}${name} ${succeeded ? 'succeeds' : 'fails'}`);
  };
  plan: SessionSurface['plan'] = (todos) => {
    this.plans.push(todos);
  };
  notice: SessionSurface['notice'] = (notice) => {
    this.notices.push(notice);
    this.#add(`notice: ${notice.about} ${notice.attempt}`);
  };
  decided: SessionSurface['decided'] = (told, decision) => {
    this.#add(`${told}: ${decision.kind}${'reason' in decision ? ` ${decision.reason}` : ''}`);
  };
  permission: SessionSurface['permission'] = ({ name }, signal) => this.permissionAnswer(name, signal);
  drain: SessionSurface['drain'] = async () => {
    const answer = this.drains.shift() ?? { messages: [], hasQueuedPrompt: false };
    return typeof answer === 'function' ? answer() : answer;
  };
  compacted: SessionSurface['compacted'] = (error) => {
    this.#add(error === null ? 'compacted' : 'compaction fails');
  };
  held: SessionSurface['held'] = (_, reason) => {
    this.#add(`held: ${reason}`);
  };
  dropped: SessionSurface['dropped'] = ({ reason }) => {
    this.#add(`dropped: ${reason}`);
  };
  turnEnded: SessionSurface['turnEnded'] = ({ id, automatic, text }, result) => {
    this.results.push({ automatic, text, result });
    this.#add(`${id} ${result.kind}${'reason' in result ? ` ${result.reason}` : ''}`);
  };
  followUp: SessionSurface['followUp'] = (suggestion) => {
    this.#add(`suggests: ${suggestion}`);
  };

  #add(entry: string): void {
    this.log.push(entry);
    this.#watch.changed();
  }
}

/** A session on a scripted model in a directory of its own; all of it is gone after the test. */
export interface Harness {
  readonly session: HostSession;
  readonly surface: RecordingSurface;
  readonly model: ScriptedModel;
  readonly cwd: string;
}

/** Starts one. */
export async function startHarness(
  script: ScriptInput,
  flags: Partial<HostFlags> = {},
  options: Partial<SessionOptions> = {},
): Promise<Harness> {
  const cwd = await mkdtemp(join(tmpdir(), 'host-session-'));
  const model = await startScriptedModel(script);
  const surface = new RecordingSurface();
  const session = new HostSession({
    flags: { ...GUARDED, ...flags },
    model: connectModel({ baseURL: model.url, apiKey: 'none', model: 'scripted' }),
    surface,
    cwd,
    ...options,
  });
  onTestFinished(async () => {
    await session.close();
    await model.close();
    await rm(cwd, { recursive: true, force: true });
  });
  return { session, surface, model, cwd };
}

/** A call of `todo_write`: `a: pending` for each item, by a short form such as `{ a: 'pending' }`. */
export function todoWrite(todos: Readonly<Record<string, Todo['status']>>): {
  name: string;
  arguments: Record<string, unknown>;
} {
  const items = Object.entries(todos).map(([id, status]) => ({ id, content: `do ${id}`, status }));
  return { name: 'todo_write', arguments: { todos: items } };
}

/** What a request added at its end: role and text of the messages after the last answer of the model. */
export function addedBy(request: ChatRequest | undefined): readonly { role: string; text: string }[] {
  const messages = request?.messages ?? [];
  const lastAnswer = messages.findLastIndex(({ role }) => role === 'assistant' || role === 'system');
  return messages.slice(lastAnswer + 1).map((message) => ({ role: message.role, text: textOf(message) }));
}
