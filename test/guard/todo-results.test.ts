import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { DaemonTodoStopGuard } from 'todo-stop-guard';
import type { TodoResultObservation } from 'todo-stop-guard';
import { armedGuard, guardInTurn, NO_BACKGROUND, observed, todoList } from './session.ts';

/** Observes something that must be refused, with a chain that is unarmed and with one that is armed. */
function expectRefusal(changes: Partial<TodoResultObservation>, reason: string): void {
  for (const guard of [guardInTurn(), armedGuard()]) {
    const before = guard.state;
    expect(guard.observeTodoResult(observed(changes))).toEqual({ kind: 'ignored', reason });
    expect(guard.state).toBe(before);
  }
}

describe('where a result comes from', () => {
  it("[T1] [T5] a live, successful, top-level result of the host's own tool arms", () => {
    const guard = guardInTurn();
    expect(guard.observeTodoResult(observed())).toEqual({ kind: 'noted' });
    expect(guard.state).toMatchObject({ chain: { status: 'armed', unfinishedCount: 2 } });
  });

  it.each<[string, Partial<TodoResultObservation>, string]>([
    ['of a discovered tool that shadows the name', { tool: 'discovered' }, 'not_native'],
    ['of a sub-agent [F20]', { scope: 'sub_agent' }, 'not_top_level'],
    ['that was replayed', { live: false }, 'not_live'],
    ['of a call that failed [F48]', { succeeded: false }, 'not_succeeded'],
    ['of a call without an id', { callId: '' }, 'unusable_id'],
    ['of a turn without an id [F36]', { turn: '' }, 'unusable_id'],
    ['of a call with an endless id', { callId: 'x'.repeat(1_025) }, 'unusable_id'],
  ])('[T1] [T6] a result %s changes nothing', (_, changes, reason) => {
    expectRefusal(changes, reason);
  });

  it.each<[string, object]>([
    ['a tool that nobody knows', { tool: 'Native' }],
    ['no tool', { tool: undefined }],
    ['a scope that nobody knows', { scope: 'top' }],
    ['a word for live', { live: 'false' }],
    ['a number for succeeded', { succeeded: 1 }],
    ['a turn that is null', { turn: null }],
    ['a turn that is "null" [F36]', { turn: 'null' }],
    ['a call id that is a number', { callId: 7 }],
  ])('[T1] an observation with %s vouches for nothing', (_, changes) => {
    const guard = guardInTurn();
    const before = guard.state;
    expect(guard.observeTodoResult({ ...observed(), ...changes }).kind).toBe('ignored');
    expect(guard.state).toBe(before);
  });

  it('[T6] a result of another turn changes nothing, before it, during the next one or after', () => {
    const guard = guardInTurn();
    expect(guard.observeTodoResult(observed({ turn: 'two', callId: 'early' }))).toEqual({
      kind: 'ignored',
      reason: 'stale_turn',
    });
    guard.tell({ type: 'turn_settled', turn: 'one', background: NO_BACKGROUND });
    expect(guard.observeTodoResult(observed({ callId: 'late' }))).toEqual({ kind: 'ignored', reason: 'stale_turn' });
    guard.tell({ type: 'prompt_started', turn: 'two', origin: 'user', background: NO_BACKGROUND });
    expect(guard.observeTodoResult(observed({ callId: 'later' }))).toEqual({ kind: 'ignored', reason: 'stale_turn' });
    expect(guard.state).toMatchObject({ chain: { status: 'idle' } });
  });

  it('[T1] a call that was answered before is answered for good, in later turns too', () => {
    const guard = guardInTurn();
    guard.observeTodoResult(observed({ result: todoList(0) }));
    expect(guard.observeTodoResult(observed({ result: todoList(3) }))).toEqual({
      kind: 'ignored',
      reason: 'duplicate_call',
    });
    guard.tell({ type: 'turn_settled', turn: 'one', background: NO_BACKGROUND });
    guard.tell({ type: 'prompt_started', turn: 'two', origin: 'user', background: NO_BACKGROUND });
    expect(guard.observeTodoResult(observed({ turn: 'two' }))).toEqual({ kind: 'ignored', reason: 'duplicate_call' });
    expect(guard.state).toMatchObject({ chain: { status: 'idle' } });
  });

  it('[T1] a call whose answer was no list is answered all the same', () => {
    const guard = guardInTurn();
    expect(guard.observeTodoResult(observed({ result: 'no list' }))).toEqual({
      kind: 'ignored',
      reason: 'not_a_todo_list',
    });
    expect(guard.observeTodoResult(observed())).toEqual({ kind: 'ignored', reason: 'duplicate_call' });
  });

  it.each([
    ['failed', { succeeded: false }],
    ['was replayed', { live: false }],
  ])('[T1] [F48] a call whose answer %s is answered all the same', (_, changes) => {
    const guard = guardInTurn();
    guard.observeTodoResult(observed(changes));
    expect(guard.observeTodoResult(observed())).toEqual({ kind: 'ignored', reason: 'duplicate_call' });
    expect(guard.state).toMatchObject({ chain: { status: 'idle' } });
  });

  it('[T1] a call id may have 1,024 units, and not one more', () => {
    expect(guardInTurn().observeTodoResult(observed({ callId: 'c'.repeat(1_024) }))).toEqual({ kind: 'noted' });
    const refused = { kind: 'ignored', reason: 'unusable_id' };
    expect(guardInTurn().observeTodoResult(observed({ callId: 'c'.repeat(1_025) }))).toEqual(refused);
  });

  it("[T1] another tool's call, or a sub-agent's, takes no id away from the host's own", () => {
    const guard = guardInTurn();
    guard.observeTodoResult(observed({ scope: 'sub_agent' }));
    guard.observeTodoResult(observed({ tool: 'discovered' }));
    expect(guard.observeTodoResult(observed())).toEqual({ kind: 'noted' });
  });

  it('[T1] [T7] a thousand calls are remembered, and no more', () => {
    const guard = guardInTurn();
    for (let call = 0; call <= 1_000; call += 1) guard.observeTodoResult(observed({ callId: `call ${call}` }));
    expect(guard.observeTodoResult(observed({ callId: 'call 1' }))).toEqual({
      kind: 'ignored',
      reason: 'duplicate_call',
    });
    expect(guard.observeTodoResult(observed({ callId: 'call 1000' }))).toEqual({
      kind: 'ignored',
      reason: 'duplicate_call',
    });
    expect(guard.observeTodoResult(observed({ callId: 'call 0', result: todoList(5) }))).toEqual({ kind: 'noted' });
  });

  it('[T3] [F49] the last of two parallel lists counts', () => {
    const guard = guardInTurn();
    guard.observeTodoResult(observed({ callId: 'first', result: todoList(5) }));
    guard.observeTodoResult(observed({ callId: 'second', result: todoList(1) }));
    expect(guard.state).toMatchObject({ chain: { status: 'armed', unfinishedCount: 1 } });
  });

  it('[T3] an empty or completed list disarms', () => {
    for (const result of [{ type: 'todo_list', todos: [] }, todoList(0)]) {
      const guard = armedGuard();
      expect(guard.observeTodoResult(observed({ result }))).toEqual({ kind: 'noted' });
      expect(guard.state).toMatchObject({ chain: { status: 'idle' } });
    }
  });

  it('[T5] [H1] a PostToolUse stop after the observation suspends what it has armed', () => {
    const guard = guardInTurn();
    guard.observeTodoResult(observed());
    guard.tell({ type: 'hard_stopped', turn: 'one', reason: 'post_tool_use_stop' });
    expect(guard.state).toMatchObject({ chain: { status: 'suspended', reason: 'post_tool_use_stop' } });
    expect(guard.observeTodoResult(observed({ callId: 'late' }))).toEqual({ kind: 'ignored', reason: 'suspended' });
  });

  it('[G3] a guard that is off observes nothing', () => {
    const guard = new DaemonTodoStopGuard();
    const before = guard.state;
    for (const changes of [{}, { live: false }, { turn: '' }, { result: null }]) {
      expect(guard.observeTodoResult(observed(changes))).toEqual({ kind: 'ignored', reason: 'off' });
    }
    expect(guard.state).toBe(before);
  });

  it('[C8] in plan mode nothing arms; a write after leaving does, in the same turn', () => {
    const guard = guardInTurn();
    guard.tell({ type: 'approval_mode_changed', mode: 'plan' });
    expect(guard.observeTodoResult(observed({ callId: 'planned' }))).toEqual({ kind: 'ignored', reason: 'plan' });
    guard.tell({ type: 'approval_mode_changed', mode: 'default' });
    expect(guard.observeTodoResult(observed({ callId: 'approved' }))).toEqual({ kind: 'noted' });
  });
});

/** Objects that do not behave as data. The functions make a new one for every use. */
const HOSTILE: readonly (readonly [name: string, make: () => unknown])[] = [
  ['a cycle for the list', () => cyclic((self) => ({ type: 'todo_list', todos: self }))],
  ['a cycle for an item', () => cyclic((self) => ({ type: 'todo_list', todos: [self] }))],
  ['a cycle for a content', () => cyclic((self) => ({ type: 'todo_list', todos: [{ ...item(), content: self }] }))],
  ['a getter that throws', () => trap({}, 'type')],
  ['a list that throws', () => trap({ type: 'todo_list' }, 'todos')],
  [
    'an item whose status throws',
    () => ({ type: 'todo_list', todos: [item(), trap({ id: '1', content: 'x' }, 'status')] }),
  ],
  ['a length that throws', () => ({ type: 'todo_list', todos: trap({}, 'length') })],
  ['a revoked proxy', () => revoked({})],
  ['a revoked proxy for the list', () => ({ type: 'todo_list', todos: revoked([]) })],
  ['a revoked proxy for an item', () => ({ type: 'todo_list', todos: [item(), revoked({})] })],
  ['a proxy that throws at everything', () => new Proxy({}, THROWING)],
  ['a proxy of a list that throws at everything', () => ({ type: 'todo_list', todos: new Proxy([], THROWING) })],
  ['an own __proto__', () => JSON.parse('{"__proto__": {"type": "todo_list", "todos": []}}') as unknown],
  [
    'an own __proto__ in an item',
    () => ({ type: 'todo_list', todos: [JSON.parse('{"__proto__": {"id": "1"}}') as unknown] }),
  ],
  ['a million bad items', () => ({ type: 'todo_list', todos: Array.from({ length: 1_000_000 }, () => null) })],
  [
    'a million items, the last one bad',
    () => ({ type: 'todo_list', todos: [...Array.from({ length: 1_000_000 }, item), {}] }),
  ],
  ['a thousand levels', () => nested(1_000)],
  ['a function', () => () => todoList(1)],
  ['a symbol', () => Symbol('todo_list')],
  ['a promise of a list', () => Promise.resolve(todoList(1))],
  ['a value that converts to a list', () => ({ toJSON: () => todoList(1), valueOf: () => todoList(1) })],
];

const THROWING = new Proxy(
  {},
  {
    get: () => () => {
      throw new Error('a trap of the payload');
    },
  },
);

function item(): object {
  return { id: '1', content: 'x', status: 'pending' };
}

function cyclic(make: (self: object) => object): object {
  const self = {};
  return Object.assign(self, make(self));
}

function trap(target: object, key: string): object {
  return Object.defineProperty(target, key, {
    enumerable: true,
    get: () => {
      throw new Error('a getter of the payload');
    },
  });
}

function revoked(target: object): object {
  const { proxy, revoke } = Proxy.revocable(target, {});
  revoke();
  return proxy;
}

function nested(levels: number): unknown {
  let value: unknown = 'x';
  for (let level = 0; level < levels; level += 1) value = { type: 'todo_list', todos: [{ ...item(), content: value }] };
  return value;
}

describe('hostile payloads', () => {
  it.each(HOSTILE)('[T7] %s neither throws nor arms', (_, make) => {
    const guard = guardInTurn();
    const before = guard.state;
    expect(guard.observeTodoResult(observed({ result: make() }))).toEqual({
      kind: 'ignored',
      reason: 'not_a_todo_list',
    });
    expect(guard.state).toBe(before);
  });

  it('[T7] lone surrogates and forged prototypes reach neither the state nor the prototypes', () => {
    const guard = guardInTurn();
    guard.observeTodoResult(
      observed({
        result: JSON.parse(
          '{"type":"todo_list","todos":[{"id":"\\ud800","content":"\\udfff","status":"pending","__proto__":{"polluted":true}}],"__proto__":{"polluted":true}}',
        ),
      }),
    );
    expect(textsIn(guard.state)).not.toContain('\ud800');
    expect('polluted' in {}).toBe(false);
  });

  it('[T7] the guard keeps no reference to a payload, taken or refused', async () => {
    const guard = guardInTurn();
    const payloads = [todoList(2), { type: 'todo_list', todos: [{ id: 1 }] }, 'text', revoked({})];
    const references = payloads.flatMap((result, index) => {
      guard.observeTodoResult(observed({ callId: `call ${index}`, result }));
      return typeof result === 'object' && result !== null ? [new WeakRef(result)] : [];
    });
    payloads.length = 0;
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    await setImmediate();
    collectGarbage();
    expect(references.map((reference) => reference.deref())).toEqual([undefined, undefined, undefined]);
    expect(guard.state).toMatchObject({ chain: { status: 'armed' } });
  });

  it('[T7] a payload that changes later changes nothing', () => {
    const guard = guardInTurn();
    const result = { type: 'todo_list', todos: [item(), item()] };
    guard.observeTodoResult(observed({ result }));
    const before = JSON.stringify(guard.state);
    result.todos.length = 0;
    expect(JSON.stringify(guard.state)).toBe(before);
  });
});

/** Every string that can be reached from a value, keys included. */
function textsIn(value: unknown, seen = new Set<unknown>()): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || seen.has(value)) return [];
  seen.add(value);
  return Reflect.ownKeys(value).flatMap((key) => [String(key), ...textsIn(Reflect.get(value, key), seen)]);
}

describe('Todo text', () => {
  const MARKER = 'marker-c0ffee';
  const marked = {
    type: 'todo_list',
    note: MARKER,
    todos: [{ id: MARKER, content: MARKER, status: 'pending', [MARKER]: MARKER }],
  };

  it('[T4] [F50] is reachable from no state, decision or notice of a whole dialogue', () => {
    const guard = guardInTurn();
    const said: unknown[] = [guard.observeTodoResult(observed({ result: marked })), guard.state];
    const tell = (fact: Parameters<typeof guard.tell>[0]): void => {
      said.push(guard.tell(fact), guard.state);
    };
    const looked = {
      type: 'looked',
      turn: 'one',
      userMessages: false,
      queuedPrompt: false,
      background: NO_BACKGROUND,
    } as const;
    for (let stop = 0; stop < 3; stop += 1) {
      tell({ type: 'model_stopped', turn: 'one' });
      tell(looked);
      tell({ type: 'stop_hooks_finished', turn: 'one', blocked: false });
      tell(looked);
      tell({ type: 'prepared', turn: 'one' });
      tell(looked);
      tell({ type: 'stream_opened', turn: 'one' });
    }
    expect(guard.state).toMatchObject({ chain: { status: 'exhausted' } });
    expect(textsIn(said).filter((text) => text.includes(MARKER))).toEqual([]);
  });

  it('[T4] is in no refusal', () => {
    const guard = guardInTurn();
    const said = [
      guard.observeTodoResult(observed({ callId: 'a', result: { ...marked, type: MARKER } })),
      guard.observeTodoResult(observed({ callId: 'b', result: { ...marked, todos: [{ id: MARKER }] } })),
      guard.observeTodoResult(observed({ callId: 'c', live: false, result: marked })),
      guard.observeTodoResult(observed({ callId: 'c', turn: 'two', result: marked })),
      guard.state,
    ];
    expect(textsIn(said).filter((text) => text.includes(MARKER))).toEqual([]);
  });
});
