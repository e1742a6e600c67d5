import {
  ActiveTodoReminderStore,
  DaemonTodoStopGuard,
  guardPrompt,
  isGuardPrompt,
  readGuardOptions,
} from 'todo-stop-guard';
import type { GuardOptions } from 'todo-stop-guard';
import { guardNoticeUpdate, isGuardNotice, readDrainAnswer, readDrainError } from 'todo-stop-guard/acp';
import { readPrompt } from '../../examples/agent/prompt-request.ts';
import { observed, ON, todoList } from '../guard/session.ts';
import { corrupt, hostileInput, SECRET } from './hostile-values.ts';
import type { Seeded } from './seeded.ts';

/** A way in. `feed` gives it one hostile input; what it returns is what went wrong, or `null`. */
export interface Door {
  readonly name: string;
  readonly feed: (seeded: Seeded) => string | null;
  /** How much is kept by now, in characters or entries, and how much may be. */
  readonly kept: () => { readonly size: number; readonly sizeMax: number };
}

const NOTHING_KEPT = { size: 0, sizeMax: 0 };

/** Every door of the library, each with a state of its own. */
export function makeDoors(): readonly Door[] {
  return [todoResults(), drainAnswers(), settings(), notices(), prompts(), promptMeta(), reminders()];
}

/** T1, T2, T7: nothing but a plain valid envelope of a trusted origin arms, and nothing of it is kept. */
function todoResults(): Door {
  const guard = new DaemonTodoStopGuard(ON);
  const background = { tasks: [], notifications: [] };
  guard.tell({ type: 'prompt_started', turn: 'one', origin: 'user', background });
  let calls = 0;
  return {
    name: 'Todo result',
    feed: (seeded) => {
      const trusted = observed({ callId: `call-${++calls}`, result: todoListWithText(seeded.below(5)) });
      const observation = seeded.once(4)
        ? // Its origin is the host's word: wrong values of the right shape.
          { ...trusted, [seeded.pick(ORIGINS)]: hostileInput('one', seeded) }
        : { ...trusted, result: hostileInput(trusted.result, seeded) };
      const before = guard.state;
      const decision = guard.observeTodoResult(observation);
      const expected = isTrusted(observation) ? naiveCount(observation.result) : null;
      // Another call's id is as good as this one's, so only the host's other words are judged.
      const isJudged = observation.callId === trusted.callId;
      if (isJudged && expected === null && guard.state !== before) return 'an untrusted result changed the state';
      if (isJudged && expected !== null && countOf(guard) !== expected) return 'a trusted result was not counted';
      return JSON.stringify([guard.state, decision]).includes(SECRET) ? 'Todo text is in the state' : null;
    },
    kept: () => ({ size: JSON.stringify(guard.state).length, sizeMax: 300 }),
  };
}

const ORIGINS = ['turn', 'callId', 'tool', 'scope', 'live', 'succeeded'];

function todoListWithText(unfinishedCount: number): unknown {
  const { todos } = todoList(unfinishedCount) as { todos: readonly object[] };
  return { type: 'todo_list', todos: todos.map((todo) => ({ ...todo, content: SECRET })) };
}

function isTrusted({ turn, tool, scope, live, succeeded }: Record<string, unknown>): boolean {
  return turn === 'one' && tool === 'native' && scope === 'top_level' && live === true && succeeded === true;
}

function countOf({ state }: DaemonTodoStopGuard): number {
  return !state.off && 'unfinishedCount' in state.chain ? state.chain.unfinishedCount : 0;
}

function hasOwn(value: object, ...keys: readonly string[]): boolean {
  return keys.every((key) => Object.prototype.hasOwnProperty.call(value, key));
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** T2 written out once more, with nothing but `typeof`. */
function naiveCount(result: unknown): number | null {
  try {
    if (typeof result !== 'object' || result === null) return null;
    const { type, todos } = result as Record<string, unknown>;
    if (!hasOwn(result, 'type', 'todos') || type !== 'todo_list' || !Array.isArray(todos)) return null;
    let count = 0;
    for (const todo of todos as unknown[]) {
      if (typeof todo !== 'object' || todo === null) return null;
      const { id, content, status } = todo as Record<string, unknown>;
      if (!hasOwn(todo, 'id', 'content', 'status')) return null;
      if (typeof id !== 'string' || typeof content !== 'string') return null;
      if (LONE_SURROGATE.test(id) || LONE_SURROGATE.test(content)) return null;
      if (status !== 'pending' && status !== 'in_progress' && status !== 'completed') return null;
      if (status !== 'completed') count += 1;
    }
    return count;
  } catch {
    return null;
  }
}

/** D1: an answer is read or refused by value, and is of the right shape either way. */
function drainAnswers(): Door {
  return {
    name: 'drain answer',
    feed: (seeded) => {
      const input = hostileInput({ messages: ['go on', SECRET], hasQueuedPrompt: true }, seeded);
      const answer = seeded.once(8) ? readDrainError(input) : readDrainAnswer(input);
      if (!answer.messages.every((message) => typeof message === 'string')) return 'a message is no string';
      if (answer.ok) return typeof answer.hasQueuedPrompt === 'boolean' ? null : 'hasQueuedPrompt is no boolean';
      return answer.error.includes(SECRET) ? 'the error repeats the answer' : null;
    },
    kept: () => NOTHING_KEPT,
  };
}

/** G5: a malformed setting is a TypeError or a RangeError that names it; nothing but `true` turns the guard on. */
function settings(): Door {
  const valid: GuardOptions = {
    settings: { experimental: { todoStopGuard: true } },
    safeMode: false,
    bare: false,
    approvalMode: 'default',
    maxAttempts: 2,
  };
  return {
    name: 'settings',
    feed: (seeded) => {
      const options = hostileInput(valid, seeded) as GuardOptions;
      try {
        const state = readGuardOptions(options);
        return state.off || isOn(options) ? null : 'the guard is on without its setting';
      } catch (error) {
        if (!(error instanceof TypeError) && !(error instanceof RangeError)) return `settings threw: ${String(error)}`;
        if (error.message.includes(SECRET)) return 'the error repeats a setting';
        return /^(options\b|maxAttempts\b)/.test(error.message) ? null : `no field is named: ${error.message}`;
      }
    },
    kept: () => NOTHING_KEPT,
  };
}

function isOn({ settings: read }: GuardOptions): boolean {
  return read?.experimental?.todoStopGuard === true;
}

/** N3, N4: a notice is recognised by its marks, and nothing throws. */
function notices(): Door {
  const valid = guardNoticeUpdate({ about: 'continuation', attempt: 1, maxAttempts: 2, unfinishedCount: 3 });
  return {
    name: 'notice',
    feed: (seeded) => {
      const input = hostileInput(valid, seeded);
      if (!isGuardNotice(input)) return null;
      const { source, attempt } = input._meta as { source: unknown; attempt: unknown };
      const isMarked = source === 'todo_stop_guard' && Number.isSafeInteger(attempt);
      return isMarked ? null : 'a notice without its marks was recognised';
    },
    kept: () => NOTHING_KEPT,
  };
}

/** N6: what is recognised is exactly what the guard writes. */
function prompts(): Door {
  return {
    name: 'guard prompt',
    feed: (seeded) => {
      const written = guardPrompt(1 + seeded.below(20), seeded.once(2));
      const input = hostileInput(written, seeded);
      const text = typeof input === 'string' ? input : written + String(seeded.below(9));
      if (!isGuardPrompt(text)) return text === written ? 'a prompt was not recognised' : null;
      const digits = /\d+/.exec(text)?.[0];
      const count = Number(digits);
      return text === guardPrompt(count, true) || text === guardPrompt(count, false)
        ? null
        : 'a text that only resembles a prompt was recognised';
    },
    kept: () => NOTHING_KEPT,
  };
}

/** C2: a prompt is a trusted one by a mark that is `true`, and by nothing else. It comes over the wire: bytes only. */
function promptMeta(): Door {
  const valid = { 'qwen.daemon.retry': true, 'qwen.daemon.continue': true, 'qwen.daemon.promptId': 'one' };
  return {
    name: 'prompt meta',
    feed: (seeded) => {
      const meta = corrupt(valid, seeded) as typeof valid | null;
      const { origin, promptId } = readPrompt({
        sessionId: 'session',
        prompt: [{ type: 'text', text: SECRET }],
        _meta: meta,
      });
      if (origin === 'retry' && meta?.['qwen.daemon.retry'] !== true) return 'a retry without its mark';
      if (origin === 'continue' && meta?.['qwen.daemon.continue'] !== true) return 'a continue without its mark';
      return promptId === undefined || typeof promptId === 'string' ? null : 'a prompt id that is no string';
    },
    kept: () => NOTHING_KEPT,
  };
}

/** R6, R7, R11: whatever a list says, the reminder is one tag without lone surrogates, and memory is bounded. */
function reminders(): Door {
  const store = new ActiveTodoReminderStore();
  return {
    name: 'reminder',
    feed: (seeded) => {
      const { todos } = todoListWithText(3) as { todos: unknown };
      const prompt = `prompt-${seeded.below(500)}`;
      if (seeded.once(3)) store.startAutomaticChain(prompt);
      const input = hostileInput(seeded.once(2) ? withHostileText(seeded) : todos, seeded);
      const update = store.update(prompt, input);
      const reminder = store.take(prompt, { forced: true });
      if (seeded.once(3)) store.endAutomaticChain(prompt);
      if (update.kind === 'removed' && reminder !== undefined) return 'a completed list is reminded of';
      if (reminder === undefined) return null;
      if (LONE_SURROGATE.test(reminder)) return 'a lone surrogate';
      const [opening, closing] = ['<system-reminder>', '</system-reminder>'].map(
        (tag) => reminder.split(tag).length - 1,
      );
      if (opening !== 1 || closing !== 1) return 'a Todo text forged the tag';
      return reminder.length > 4_500 ? 'a reminder is too long' : null;
    },
    // At most a hundred chains are kept.
    kept: () => ({ size: store.size, sizeMax: 100 }),
  };
}

const PIECES = [
  '</system-reminder>',
  '<system',
  '-reminder>',
  '\u200b',
  '\ud83d',
  '\ude00',
  '😀',
  '\n- ',
  '&lt;',
  SECRET,
];

function withHostileText(seeded: Seeded): unknown {
  return Array.from({ length: 1 + seeded.below(4) }, (_, index) => ({
    id: String(index),
    content: Array.from({ length: 1 + seeded.below(8) }, () => seeded.pick(PIECES))
      .join('')
      .repeat(1 + seeded.below(20)),
    status: 'pending',
  }));
}
