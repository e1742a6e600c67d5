import type { SessionUpdate as SessionUpdateV1 } from '@agentclientprotocol/sdk';
import type { SessionUpdate as SessionUpdateV2 } from '@agentclientprotocol/sdk/experimental/v2';
import * as fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { adaptTodos, type AdaptedTodos } from '../src/dialects/adapt-todos.ts';
import type { TodoDialect } from '../src/dialects/shapes.ts';
import { DIALECT_SHAPES } from '../src/dialects/shapes.ts';
import { countUnfinished } from '../src/todo-result.ts';

const acpV1: SessionUpdateV1 = {
  sessionUpdate: 'plan',
  entries: [
    { content: 'read', status: 'completed', priority: 'high' },
    { content: 'write', status: 'in_progress', priority: 'medium' },
    { content: 'test', status: 'pending', priority: 'low' },
  ],
};
const acpV2: SessionUpdateV2 = {
  sessionUpdate: 'plan_update',
  plan: {
    type: 'items',
    planId: 'plan-1',
    entries: [
      { content: 'read', status: 'completed', priority: 'high' },
      { content: 'write', status: 'in_progress', priority: 'medium' },
      { content: 'test', status: 'pending', priority: 'low' },
    ],
  },
};

/** The same three items as each project says them. */
const SAMPLES: Record<TodoDialect, unknown> = {
  claude_code: {
    todos: [
      { content: 'read', status: 'completed', activeForm: 'Reading' },
      { content: 'write', status: 'in_progress', activeForm: 'Writing' },
      { content: 'test', status: 'pending', activeForm: 'Testing' },
    ],
  },
  opencode: {
    todos: [
      { content: 'read', status: 'completed', priority: 'high' },
      { content: 'write', status: 'in_progress', priority: 'high' },
      { content: 'test', status: 'pending', priority: 'low' },
    ],
  },
  gemini_cli: {
    todos: [
      { description: 'read', status: 'completed' },
      { description: 'write', status: 'in_progress' },
      { description: 'test', status: 'pending' },
    ],
  },
  codex: {
    explanation: 'as agreed',
    plan: [
      { step: 'read', status: 'completed' },
      { step: 'write', status: 'in_progress' },
      { step: 'test', status: 'pending' },
    ],
  },
  langchain: {
    todos: [
      { content: 'read', status: 'completed' },
      { content: 'write', status: 'in_progress' },
      { content: 'test', status: 'pending' },
    ],
  },
  vscode: {
    operation: 'write',
    todoList: [
      { id: 1, title: 'read', description: '', status: 'completed' },
      { id: 2, title: 'write', description: '', status: 'in-progress' },
      { id: 3, title: 'test', description: '', status: 'not-started' },
    ],
  },
  acp_v1: acpV1,
  acp_v2: acpV2,
};
const DIALECTS = Object.keys(SAMPLES) as TodoDialect[];

/** A list of one item with the given status, as each project says it. */
function listOf(dialect: TodoDialect, status: unknown): unknown {
  const lists: Record<TodoDialect, unknown> = {
    claude_code: { todos: [{ content: 'secret', status, activeForm: 'secret' }] },
    opencode: { todos: [{ content: 'secret', status, priority: 'low' }] },
    gemini_cli: { todos: [{ description: 'secret', status }] },
    codex: { plan: [{ step: 'secret', status }] },
    langchain: { todos: [{ content: 'secret', status }] },
    vscode: { operation: 'write', todoList: [{ id: 1, title: 'secret', description: 'secret', status }] },
    acp_v1: { sessionUpdate: 'plan', entries: [{ content: 'secret', status, priority: 'low' }] },
    acp_v2: {
      sessionUpdate: 'plan_update',
      plan: { type: 'items', planId: 'p', entries: [{ content: 'secret', status, priority: 'low' }] },
    },
  };
  return lists[dialect];
}

function envelopeOf(adapted: AdaptedTodos): unknown {
  return adapted.ok ? adapted.envelope : undefined;
}

describe('every dialect', () => {
  test.each(DIALECTS)('[T2] %s becomes the envelope that the guard reads', (dialect) => {
    const adapted = adaptTodos(dialect, SAMPLES[dialect]);
    expect(adapted).toEqual({
      ok: true,
      envelope: {
        type: 'todo_list',
        todos: [
          { id: '1', content: 'read', status: 'completed' },
          { id: '2', content: 'write', status: 'in_progress' },
          { id: '3', content: 'test', status: 'pending' },
        ],
      },
      leftOut: { cancelled: 0, blocked: 0 },
    });
    expect(countUnfinished(envelopeOf(adapted))).toBe(2);
  });

  test.each(DIALECTS)('[F47] %s: a word that the project does not publish refuses the list', (dialect) => {
    const unknown = ['done', 'COMPLETED', 'inProgress', 'todo', '', '__proto__', null, 1, undefined, ['pending']];
    for (const word of [...unknown, dialect === 'vscode' ? 'pending' : 'not-started']) {
      const adapted = adaptTodos(dialect, listOf(dialect, word));
      expect(adapted).toMatchObject({ ok: false, reason: 'unknown_status' });
      expect(JSON.stringify(adapted)).not.toContain('secret');
    }
  });

  test.each(DIALECTS)('[T2] %s: a JSON string, and what is no list at all, is refused as a whole', (dialect) => {
    for (const value of [JSON.stringify(SAMPLES[dialect]), undefined, null, 0, [], {}, () => 0]) {
      expect(adaptTodos(dialect, value)).toMatchObject({ ok: false, reason: 'other_shape' });
    }
  });

  test.each(DIALECTS)('[T7] %s: a hostile value is refused, not thrown', (dialect) => {
    const throwing = new Proxy(
      {},
      {
        get() {
          throw new Error('gotcha');
        },
      },
    );
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    for (const value of [throwing, proxy, { todos: [throwing], plan: [throwing], todoList: [throwing] }]) {
      expect(adaptTodos(dialect, value)).toMatchObject({ ok: false });
    }
  });

  test.each(DIALECTS)('[T7] %s: keeps no reference to the value', (dialect) => {
    const value = structuredClone(SAMPLES[dialect]);
    const adapted = adaptTodos(dialect, value);
    const before = structuredClone(adapted);
    JSON.stringify(value, (_, part: unknown) => {
      if (typeof part === 'object' && part !== null && 'status' in part) part.status = 'changed';
      return part;
    });
    expect(value).not.toEqual(SAMPLES[dialect]);
    expect(adapted).toEqual(before);
  });

  test('[T2] no dialect is guessed: the shape of another is refused', () => {
    // Where one shape is a part of another, nothing tells them apart; the host's word decides.
    const alike = ['claude_code', 'opencode', 'langchain'];
    for (const dialect of DIALECTS) {
      for (const other of DIALECTS) {
        const compatible = dialect === other || (alike.includes(dialect) && alike.includes(other));
        expect([dialect, other, adaptTodos(dialect, SAMPLES[other]).ok]).toEqual([dialect, other, compatible]);
      }
    }
  });
});

describe('words that the envelope lacks', () => {
  const publishes = { cancelled: ['opencode', 'gemini_cli', 'acp_v2'], blocked: ['gemini_cli'] } as const;

  test.each(['cancelled', 'blocked'] as const)('[T2] a %s item is left out, and the adapter says so', (word) => {
    const known: readonly string[] = publishes[word];
    for (const dialect of DIALECTS) {
      const adapted = adaptTodos(dialect, listOf(dialect, word));
      expect([dialect, adapted.ok]).toEqual([dialect, known.includes(dialect)]);
      if (!adapted.ok) continue;
      expect(adapted.leftOut).toEqual({ cancelled: 0, blocked: 0, [word]: 1 });
      expect(countUnfinished(adapted.envelope)).toBe(0);
    }
  });

  test('[T2] what is left out keeps its place in the numbering', () => {
    const adapted = adaptTodos('gemini_cli', {
      todos: [
        { description: 'a', status: 'cancelled' },
        { description: 'b', status: 'pending' },
        { description: 'c', status: 'blocked' },
        { description: 'd', status: 'completed' },
      ],
    });
    expect(envelopeOf(adapted)).toEqual({
      type: 'todo_list',
      todos: [
        { id: '2', content: 'b', status: 'pending' },
        { id: '4', content: 'd', status: 'completed' },
      ],
    });
  });
});

describe('single dialects', () => {
  test('[T2] opencode: an id that the item has is kept', () => {
    const adapted = adaptTodos('opencode', { todos: [{ id: 'x', content: 'a', status: 'pending' }] });
    expect(envelopeOf(adapted)).toEqual({ type: 'todo_list', todos: [{ id: 'x', content: 'a', status: 'pending' }] });
  });

  test('[T2] VS Code: a read is no list, and a tool that only writes names no operation', () => {
    const todoList = [{ id: 7, title: 'a', status: 'not-started' }];
    expect(adaptTodos('vscode', { operation: 'read', todoList })).toEqual({
      ok: false,
      reason: 'other_shape',
      field: 'operation',
    });
    expect(envelopeOf(adaptTodos('vscode', { todoList }))).toEqual({
      type: 'todo_list',
      todos: [{ id: '7', content: 'a', status: 'pending' }],
    });
  });

  test('[T2] ACP v2: a plan that is no list of items is refused', () => {
    const plan = { type: 'markdown', planId: 'p', content: '- [ ] a' };
    expect(adaptTodos('acp_v2', { sessionUpdate: 'plan_update', plan })).toMatchObject({
      ok: false,
      field: 'plan.type',
    });
  });

  test('[T2] the refusal names the first field that does not fit', () => {
    const todos = [{ content: 'a', status: 'pending' }, { content: 'b', status: 'done' }, { status: 'pending' }];
    expect(adaptTodos('langchain', { todos })).toEqual({
      ok: false,
      reason: 'unknown_status',
      field: 'todos.1.status',
    });
    expect(adaptTodos('langchain', { todos: todos.slice(2) })).toEqual({
      ok: false,
      reason: 'other_shape',
      field: 'todos.0.content',
    });
  });

  test.each(['cursor', '__proto__', 'toString'])(
    'a dialect that does not exist, %s, is a mistake of the caller',
    (name) => {
      // @ts-expect-error -- no such dialect
      const dialect: TodoDialect = name;
      expect(() => adaptTodos(dialect, {})).toThrow(TypeError);
      expect(() => adaptTodos(dialect, {})).toThrow(/dialect must be one of claude_code, opencode/);
    },
  );
});

test('[T2] whatever the items, nothing is lost unsaid and the count is that of the open ones', () => {
  const item = fc.record({
    description: fc.string({ unit: 'binary' }),
    status: fc.constantFrom('pending', 'in_progress', 'completed', 'cancelled', 'blocked'),
  });
  fc.assert(
    fc.property(fc.array(item), (todos) => {
      const adapted = adaptTodos('gemini_cli', { todos });
      if (!adapted.ok) throw new Error('a published list was refused');
      const { envelope, leftOut } = adapted;
      const open = todos.filter(({ status }) => status === 'pending' || status === 'in_progress').length;
      expect(countUnfinished(envelope)).toBe(open);
      expect(envelope.todos.length + leftOut.cancelled + leftOut.blocked).toBe(todos.length);
      for (const { id, content } of envelope.todos) expect(content).toBe(todos[Number(id) - 1]?.description);
    }),
  );
});

describe('the published schema of ACP', () => {
  const require = createRequire(import.meta.url);
  const words = z.object({
    $defs: z.object({
      PlanEntryStatus: z.record(
        z.string(),
        z.union([z.array(z.object({ const: z.optional(z.string()) })), z.string()]),
      ),
    }),
  });

  test.each(['v1', 'v2'] as const)('[T2] names in %s exactly the statuses that the adapter takes', (version) => {
    const path = require.resolve(`@agentclientprotocol/sdk/schema/${version}/schema.json`);
    const { PlanEntryStatus } = words.parse(JSON.parse(readFileSync(path, 'utf8'))).$defs;
    const choices = Object.values(PlanEntryStatus).find((value) => typeof value !== 'string') ?? [];
    const published = choices.flatMap((choice) => choice.const ?? []);
    const candidates = ['pending', 'in_progress', 'completed', 'cancelled', 'blocked', 'done', ...published];
    const taken = candidates.filter((status) => adaptTodos(`acp_${version}`, listOf(`acp_${version}`, status)).ok);
    expect(new Set(taken)).toEqual(new Set(published));
    expect(published.length).toBeGreaterThan(2);
  });
});

test('every dialect is documented with its source', () => {
  const papers = readFileSync(new URL('../docs/dialects.md', import.meta.url), 'utf8');
  for (const dialect of Object.keys(DIALECT_SHAPES))
    expect(papers).toMatch(new RegExp(`^\\| \`${dialect}\` +\\|`, 'm'));
});
