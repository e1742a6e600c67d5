import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DaemonTodoStopGuard, settleStop } from 'todo-stop-guard';
import type { GuardFact, GuardOptions, StopHost, TodoResultObservation } from 'todo-stop-guard';
import { readTrace, recordTrace, replayTrace, TraceError } from 'todo-stop-guard/trace';
import manifest from '../../package.json' with { type: 'json' };

const on: GuardOptions = { settings: { experimental: { todoStopGuard: true } } };
const background = { tasks: [], notifications: [] };
const turn = 'turn-1';
const SECRET = 'buy the ring';

function observation(callId: string, changes: Partial<TodoResultObservation> = {}): TodoResultObservation {
  const result = { type: 'todo_list', todos: [{ id: SECRET, content: SECRET, status: 'pending' }] };
  return { turn, callId, tool: 'native', scope: 'top_level', live: true, succeeded: true, result, ...changes };
}

function recorded(options: GuardOptions = on): { guard: DaemonTodoStopGuard; lines: string[] } {
  const lines: string[] = [];
  return {
    guard: new DaemonTodoStopGuard(
      options,
      recordTrace((line) => lines.push(line)),
    ),
    lines,
  };
}

/** A session that runs into exhaustion, by the real driver. */
async function session(options?: GuardOptions): Promise<{ guard: DaemonTodoStopGuard; lines: string[] }> {
  const { guard, lines } = recorded(options);
  const host: StopHost = {
    turn,
    look: () => Promise.resolve({ userMessages: false, queuedPrompt: false, background }),
    runStopHooks: () => Promise.resolve(false),
    prepare: () => Promise.resolve(),
    open: () => Promise.resolve(),
    close: () => undefined,
    notify: () => undefined,
  };
  guard.tell({ type: 'prompt_started', turn, origin: 'user', background });
  guard.observeTodoResult(observation('call-0', { tool: 'discovered' }));
  guard.observeTodoResult(observation('call-1'));
  const { signal } = new AbortController();
  while ((await settleStop(guard, host, { signal })).kind === 'opened');
  guard.tell({ type: 'turn_settled', turn, background });
  return { guard, lines };
}

describe('recording', () => {
  test('the first line says what the trace is and what the guard began with', async () => {
    const { lines } = await session({ ...on, maxAttempts: 3, approvalMode: 'default' });
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      trace: 'todo-stop-guard',
      format: 1,
      library: manifest.version,
      guard: { enabled: true, maxAttempts: 3, plan: false },
    });
    expect(lines.at(-1)).toBe(
      '{"event":{"type":"turn_settled","turn":"turn-1","background":false},"decision":{"kind":"noted","released":true}}',
    );
  });

  test('[T4] no Todo text and no prompt gets into a trace', async () => {
    const { guard, lines } = await session();
    const beside = { type: 'turn_failed', turn: 'turn-2', message: SECRET } as const;
    guard.tell(beside);
    const trace = lines.join('\n');
    expect(trace).toContain('"kind":"send"');
    expect(trace).toContain('"type":"turn_failed"');
    expect(trace).not.toContain(SECRET);
    expect(trace).not.toContain('Todo Stop Guard');
  });

  test('a fact with a field of a wrong type is named, and its value is not repeated', () => {
    const { guard, lines } = recorded();
    const fact: unknown = { type: 'stop_hooks_finished', turn, blocked: SECRET };
    Reflect.apply(guard.tell.bind(guard), undefined, [fact]);
    expect(lines.at(-1)).toBe('{"malformed":"stop_hooks_finished: blocked must be true or false"}');
    expect(() => readTrace(lines.join('\n'))).toThrow(
      'Line 2: the host told a malformed fact, which cannot be replayed: stop_hooks_finished: blocked must be true or false.',
    );
  });

  test('a trace that cannot be written ends, and the guard is as it is without one', async () => {
    const plain = new DaemonTodoStopGuard(on);
    const lines: string[] = [];
    const guard = new DaemonTodoStopGuard(
      on,
      recordTrace((line) => {
        if (lines.length === 2) throw new Error('disk full');
        lines.push(line);
      }),
    );
    const facts: readonly GuardFact[] = [
      { type: 'prompt_started', turn, origin: 'user', background },
      { type: 'model_stopped', turn },
      { type: 'turn_settled', turn, background },
    ];
    for (const fact of facts) expect(guard.tell(fact)).toEqual(plain.tell(fact));
    expect(guard.state).toEqual(plain.state);
    expect(lines).toHaveLength(2);
    expect(replayTrace(readTrace(lines.join('\n'))).departure).toBeNull();
    await Promise.resolve();
  });
});

describe('replaying', () => {
  test('[C9] a session replays to the same decisions on a machine of its own, and the guard stays as it was', async () => {
    const { guard, lines } = await session();
    const before = guard.state;
    const replay = replayTrace(readTrace(`${lines.join('\n')}\n`));
    expect(replay.departure).toBeNull();
    expect(replay.steps).toHaveLength(lines.length - 1);
    expect(replay.steps.at(-1)?.state).toEqual(before);
    expect(replay.steps[1]).toMatchObject({
      line: 3,
      event: null,
      decision: { kind: 'ignored', reason: 'not_native' },
    });
    expect(guard.state).toBe(before);
    expect(replay.steps.at(-1)?.state).not.toBe(before);
  });

  test('a guard that is off replays too', async () => {
    const { lines } = await session({});
    expect(replayTrace(readTrace(lines.join('\n'))).departure).toBeNull();
  });

  test('says where a trace departs, and goes no further', async () => {
    const { lines } = await session();
    const at = lines.findIndex((line) => line.includes('"kind":"send"'));
    const changed = lines.with(at, (lines[at] ?? '').replace('"attempt":1', '"attempt":2'));
    const { departure, steps } = replayTrace(readTrace(changed.join('\n')));
    expect(departure).toEqual({
      line: at + 1,
      event: { type: 'looked', turn, userMessages: false, queuedPrompt: false, background: false },
      expected: { kind: 'send', carries: ['guard_prompt'], attempt: 2, maxAttempts: 2 },
      got: { kind: 'send', carries: ['guard_prompt'], attempt: 1, maxAttempts: 2 },
    });
    expect(steps.at(-1)?.line).toBe(at + 1);
  });

  test('the order of the keys in a line means nothing', async () => {
    const { lines } = await session();
    const reversed = lines.map((line) =>
      JSON.stringify(JSON.parse(line), (_, value: unknown) =>
        typeof value === 'object' && value !== null && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).reverse())
          : value,
      ),
    );
    expect(reversed).not.toEqual(lines);
    expect(replayTrace(readTrace(reversed.join('\n'))).departure).toBeNull();
  });

  test('whatever a host tells, its trace replays to the same decisions and the same state', () => {
    const id = fc.constantFrom('a', 'b', 'c');
    const snapshot = fc.record({
      tasks: fc.array(
        fc.record({
          kind: fc.constantFrom('agent' as const, 'shell' as const),
          id,
          state: fc.constantFrom('running' as const, 'finished' as const),
        }),
        { maxLength: 2 },
      ),
      notifications: fc.constant([]),
    });
    const fact: fc.Arbitrary<GuardFact> = fc.oneof(
      fc.record({
        type: fc.constant('prompt_started' as const),
        turn: id,
        origin: fc.constantFrom('user' as const, 'retry' as const),
        background: snapshot,
      }),
      fc.record({
        type: fc.constant('automatic_turn_requested' as const),
        turn: id,
        source: fc.option(fc.record({ kind: fc.constant('agent' as const), id })),
        background: snapshot,
      }),
      fc.record({ type: fc.constant('todos_written' as const), turn: id, unfinishedCount: fc.nat(3) }),
      fc.record({
        type: fc.constant('looked' as const),
        turn: id,
        userMessages: fc.boolean(),
        queuedPrompt: fc.boolean(),
        background: snapshot,
      }),
      fc.record({ type: fc.constant('stop_hooks_finished' as const), turn: id, blocked: fc.boolean() }),
      fc.record({ type: fc.constant('turn_settled' as const), turn: id, background: snapshot }),
      fc.record({
        type: fc.constantFrom('model_stopped', 'tools_finished', 'prepared', 'stream_opened', 'turn_failed'),
        turn: id,
      }),
      fc.constant({ type: 'queued_prompt_dropped' as const }),
      fc.constant({ type: 'approval_mode_changed' as const, mode: 'plan' }),
      fc.constant({ type: 'chain_ended' as const, reason: 'rewound' as const }),
    );
    fc.assert(
      fc.property(fc.array(fact, { maxLength: 60 }), (facts) => {
        const { guard, lines } = recorded();
        for (const one of facts) guard.tell(one);
        const { steps, departure, initial } = replayTrace(readTrace(lines.join('\n')));
        expect(departure).toBeNull();
        expect(steps.at(-1)?.state ?? initial).toEqual(guard.state);
      }),
    );
  });
});

describe('reading', () => {
  test('a text that is longer than any session is refused before it is read', () => {
    expect(() => readTrace(' '.repeat(32 * 1_024 * 1_024 + 1))).toThrow('the trace is longer than');
  });

  const header = '{"trace":"todo-stop-guard","format":1,"library":"0.1.0","guard":{"enabled":true}}';

  test.each([
    ['', 'Line 1: this is not JSON; pass a file that recordTrace has written.'],
    ['null', 'Line 1: it must be an object.'],
    [
      '{"trace":"other","format":1,"library":"1","guard":{"enabled":true}}',
      'Line 1: trace must be one of: todo-stop-guard.',
    ],
    [header.replace('"format":1', '"format":2'), 'Line 1: format must be 1: read other formats with the version'],
    [header.replace('true', '"yes"'), 'Line 1: guard.enabled must be true or false.'],
    [
      header.replace('"enabled":true', '"enabled":true,"maxAttempts":99'),
      'guard.maxAttempts must be a whole number from 1 to 10.',
    ],
    [`${header}\n{"event":{"type":"prep`, 'Line 2: this is not JSON; if the file was cut off here, delete this line.'],
    [`${header}\n3`, 'Line 2: it must be an object.'],
    [`${header}\n\n{}`, 'Line 2: this is not JSON'],
    [
      `${header}\n{"event":{"type":"exploded"},"decision":{"kind":"noted"}}`,
      'Line 2: event.type must be one of: prompt_started, ',
    ],
    [`${header}\n{"event":7,"decision":{"kind":"noted"}}`, 'Line 2: event must be an object.'],
    [
      `${header}\n{"event":{"type":"prepared","turn":""},"decision":{"kind":"noted"}}`,
      'Line 2: event.turn must not be empty.',
    ],
    [
      `${header}\n{"event":{"type":"todos_written","turn":"t","unfinishedCount":-1},"decision":{"kind":"noted"}}`,
      'Line 2: event.unfinishedCount must not be negative.',
    ],
    [`${header}\n{"event":{"type":"prepared","turn":"t"}}`, 'Line 2: decision must be an object.'],
    [`${header}\n{"refused":"maybe"}`, 'Line 2: refused must be one of: not_native, '],
  ])('%j is no trace', (text, message) => {
    expect(() => readTrace(text)).toThrow(TraceError);
    expect(() => readTrace(text)).toThrow(message);
  });

  test('a text is a trace or a TraceError, never anything else', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json().map((json) => `${header}\n${json}`),
        ),
        (text) => {
          try {
            readTrace(text);
          } catch (error) {
            expect(error).toBeInstanceOf(TraceError);
          }
        },
      ),
    );
  });

  test('lines that end in the way of Windows are read', () => {
    expect(readTrace(`${header}\r\n{"refused":"not_live"}\r\n`).entries).toEqual([{ line: 2, refused: 'not_live' }]);
  });
});
