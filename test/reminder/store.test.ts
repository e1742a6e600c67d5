import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ActiveTodoReminderStore } from '../../src/reminder/store.ts';

type Status = 'pending' | 'in_progress' | 'completed';

const todos = (content: string, status: Status = 'pending'): readonly object[] => [{ id: '1', content, status }];

/** The items that the prompt is reminded of. */
function shown(store: ActiveTodoReminderStore, promptId: string): readonly string[] {
  return [...(store.take(promptId) ?? '').matchAll(/^- \[[a-z_]+\] (.*)$/gm)].map(([, content = '']) => content);
}

function startedStore(): ActiveTodoReminderStore {
  const store = new ActiveTodoReminderStore();
  store.startChain('user');
  store.update('user', todos('of the user'));
  return store;
}

describe('[R1] the unfinished items of a prompt', () => {
  test('come back with each of its following requests', () => {
    const store = startedStore();
    expect([shown(store, 'user'), shown(store, 'user')]).toEqual([['of the user'], ['of the user']]);
  });

  test('are those of its newest list, also of several in one response [F49]', () => {
    const store = startedStore();
    expect(store.update('user', [...todos('a'), ...todos('b', 'completed'), ...todos('c', 'in_progress')])).toEqual({
      kind: 'kept',
      unfinishedCount: 2,
    });
    expect(shown(store, 'user')).toEqual(['a', 'c']);
    store.update('user', todos('newest'));
    expect(shown(store, 'user')).toEqual(['newest']);
  });

  test('are kept for a prompt that was never started, too', () => {
    const store = new ActiveTodoReminderStore();
    store.update('a', todos('of a'));
    store.update('b', todos('of b'));
    expect([shown(store, 'a'), shown(store, 'b')]).toEqual([['of a'], ['of b']]);
  });
});

test('[R1] [F47] a malformed list leaves the reminder as it was and says so', () => {
  const store = startedStore();
  expect(store.update('user', [...todos('x'), { id: 2, content: 'y', status: 'pending' }])).toEqual({
    kind: 'ignored',
    reason: 'malformed',
  });
  expect(shown(store, 'user')).toEqual(['of the user']);
});

describe('[R3] a cron or notification turn beside a task of the user', () => {
  test('reads and writes only its own list, and completing that leaves the other as it was', () => {
    const store = startedStore();
    store.startAutomaticChain('cron');
    expect(store.take('cron')).toBeUndefined();
    store.update('cron', todos('of cron'));
    expect([shown(store, 'user'), shown(store, 'cron')]).toEqual([['of the user'], ['of cron']]);
    store.update('cron', todos('of cron', 'completed'));
    expect([shown(store, 'user'), shown(store, 'cron')]).toEqual([['of the user'], []]);
  });

  test('[F37] starts without what an earlier run of the same id has left', () => {
    const store = new ActiveTodoReminderStore();
    store.startAutomaticChain('nightly');
    store.update('nightly', todos('of the first run'));
    store.startAutomaticChain('nightly');
    expect(store.take('nightly')).toBeUndefined();
    store.update('nightly', todos('of the second run'));
    expect(shown(store, 'nightly')).toEqual(['of the second run']);
  });
});

describe('[R4] an unrelated user prompt', () => {
  test('[F10] [F34] clears what was there', () => {
    const store = startedStore();
    store.update('never started', todos('stray'));
    store.startChain('next');
    expect(['user', 'next', 'never started'].map((id) => store.take(id))).toEqual([undefined, undefined, undefined]);
    expect(store.size).toBe(0);
  });

  test('saves the reminders of automatic turns that are still running, their own and one that they took over', () => {
    const store = startedStore();
    store.startAutomaticChain('cron');
    store.update('cron', todos('of cron'));
    store.startAutomaticChain('related', { continuedFrom: 'user' });
    store.startChain('next');
    expect(['cron', 'related', 'user'].map((id) => shown(store, id))).toEqual([['of cron'], ['of the user'], []]);
    store.endAutomaticChain('cron');
    store.endAutomaticChain('related');
    expect(store.size).toBe(0);
  });

  test('clears the list of an automatic turn that has ended', () => {
    const store = startedStore();
    store.startAutomaticChain('related', { continuedFrom: 'user' });
    store.endAutomaticChain('related');
    store.startChain('next');
    expect(store.size).toBe(0);
  });

  test('is also one that continues what nobody knows', () => {
    const store = startedStore();
    store.startChain('next', { continuedFrom: 'gone long ago' });
    expect([shown(store, 'next'), store.size]).toEqual([[], 0]);
  });
});

describe('[R4] a retry or a continue', () => {
  test('takes the reminder over to its own id', () => {
    const store = startedStore();
    store.startChain('retry', { continuedFrom: 'user' });
    expect([shown(store, 'retry'), store.take('user')]).toEqual([['of the user'], undefined]);
    store.startChain('continue', { continuedFrom: 'retry' });
    expect([shown(store, 'continue'), store.take('retry')]).toEqual([['of the user'], undefined]);
  });

  test('finds the chain by any id that it has had', () => {
    const store = startedStore();
    store.startChain('retry', { continuedFrom: 'user' });
    store.startChain('again', { continuedFrom: 'user' });
    expect([shown(store, 'again'), store.take('retry')]).toEqual([['of the user'], undefined]);
  });

  test('may go on under the same id', () => {
    const store = startedStore();
    store.startChain('user', { continuedFrom: 'user' });
    expect(shown(store, 'user')).toEqual(['of the user']);
  });

  test('clears every other chain', () => {
    const store = startedStore();
    store.startAutomaticChain('cron');
    store.update('cron', todos('of cron'));
    store.startChain('retry', { continuedFrom: 'cron' });
    expect([shown(store, 'retry'), store.take('user'), store.size]).toEqual([['of cron'], undefined, 1]);
    store.endAutomaticChain('cron');
    expect(shown(store, 'retry')).toEqual(['of cron']);
  });
});

describe('[R4] a related automatic turn', () => {
  test('takes the reminder over until it ends', () => {
    const store = startedStore();
    store.startAutomaticChain('related', { continuedFrom: 'user' });
    expect([shown(store, 'related'), store.take('user')]).toEqual([['of the user'], undefined]);
    store.endAutomaticChain('related');
    expect(shown(store, 'user')).toEqual(['of the user']);
  });

  test.each(['user', 'related'])(
    'leaves what it has written to the chain, which is known as %s too',
    (continuedFrom) => {
      const store = startedStore();
      store.startAutomaticChain('related', { continuedFrom: 'user' });
      store.update('related', todos('rewritten'));
      store.endAutomaticChain('related');
      expect(shown(store, 'related')).toEqual(['rewritten']);
      store.startChain('retry', { continuedFrom });
      expect([shown(store, 'retry'), store.take('related')]).toEqual([['rewritten'], undefined]);
    },
  );

  test('completes the list for the chain', () => {
    const store = startedStore();
    store.startAutomaticChain('related', { continuedFrom: 'user' });
    expect(store.update('related', [])).toEqual({ kind: 'removed' });
    store.endAutomaticChain('related');
    expect([shown(store, 'user'), store.size]).toEqual([[], 0]);
  });

  test('begins a chain of its own if it continues what nobody knows', () => {
    const store = startedStore();
    store.startAutomaticChain('late', { continuedFrom: 'gone long ago' });
    store.update('late', todos('of its own'));
    store.endAutomaticChain('late');
    expect([store.take('late'), shown(store, 'user')]).toEqual([undefined, ['of the user']]);
  });

  test('that goes on under the id of the prompt does not make it an automatic one', () => {
    const store = startedStore();
    store.startAutomaticChain('user', { continuedFrom: 'user' });
    store.endAutomaticChain('user');
    expect(shown(store, 'user')).toEqual(['of the user']);
  });

  test('can start again after it has ended', () => {
    const store = startedStore();
    store.startAutomaticChain('related', { continuedFrom: 'user' });
    store.endAutomaticChain('related');
    store.startAutomaticChain('related', { continuedFrom: 'related' });
    expect([shown(store, 'related'), store.take('user')]).toEqual([['of the user'], undefined]);
  });

  test('of an automatic chain keeps its list until the last of them has ended', () => {
    const store = new ActiveTodoReminderStore();
    store.startAutomaticChain('cron');
    store.update('cron', todos('of cron'));
    store.startAutomaticChain('report', { continuedFrom: 'cron' });
    store.endAutomaticChain('cron');
    expect(shown(store, 'report')).toEqual(['of cron']);
    store.endAutomaticChain('report');
    expect(store.size).toBe(0);
  });
});

describe('[R4] the end of an automatic turn', () => {
  test('removes a list that it began, started or not', () => {
    const store = startedStore();
    store.startAutomaticChain('cron');
    store.update('cron', todos('of cron'));
    store.update('never started', todos('stray'));
    store.endAutomaticChain('cron');
    store.endAutomaticChain('never started');
    expect([store.take('cron'), store.take('never started'), store.size]).toEqual([undefined, undefined, 1]);
  });

  test('is nothing to a prompt of the user, nor to an id that nobody knows', () => {
    const store = startedStore();
    store.endAutomaticChain('user');
    store.endAutomaticChain('unknown');
    expect(shown(store, 'user')).toEqual(['of the user']);
  });
});

test('[R4] a session change or a discarded history clears everything, running automatic turns too', () => {
  const store = startedStore();
  store.startAutomaticChain('cron');
  store.update('cron', todos('of cron'));
  store.clear();
  expect([store.take('user'), store.take('cron'), store.size]).toEqual([undefined, undefined, 0]);
});

describe('[R4] a late result', () => {
  const stale = { kind: 'ignored', reason: 'stale_prompt' };

  test('of a prompt that was superseded, or whose session is gone, brings nothing back', () => {
    const store = startedStore();
    store.startChain('retry', { continuedFrom: 'user' });
    expect(store.update('user', todos('late'))).toEqual(stale);
    expect(shown(store, 'retry')).toEqual(['of the user']);
    store.startChain('next');
    expect(store.update('retry', todos('late'))).toEqual(stale);
    store.clear();
    expect(store.update('next', todos('late'))).toEqual(stale);
    expect(store.size).toBe(0);
  });

  test('of an automatic turn that has ended changes neither its own list nor the chain’s', () => {
    const store = startedStore();
    store.startAutomaticChain('cron');
    store.endAutomaticChain('cron');
    expect(store.update('cron', todos('late'))).toEqual(stale);
    store.startAutomaticChain('related', { continuedFrom: 'user' });
    expect(store.update('user', todos('while it is away'))).toEqual(stale);
    store.endAutomaticChain('related');
    expect(store.update('related', todos('late'))).toEqual(stale);
    expect(shown(store, 'user')).toEqual(['of the user']);
  });

  test('is still known as one after many runs of one id', () => {
    const store = startedStore();
    store.startChain('next');
    for (let run = 0; run < 200; run++) {
      store.startAutomaticChain('nightly');
      store.endAutomaticChain('nightly');
    }
    expect(store.update('user', todos('late'))).toEqual(stale);
  });

  test('is welcome again once the id is started again', () => {
    const store = startedStore();
    store.clear();
    store.startChain('user');
    expect(store.update('user', todos('again'))).toEqual({ kind: 'kept', unfinishedCount: 1 });
  });
});

describe('[R5] when nothing is unfinished there is no reminder', () => {
  test.each([
    ['an empty list', []],
    ['a completed list', todos('done', 'completed')],
  ])('[F44] after %s, however it is asked for', (_, list) => {
    const store = startedStore();
    expect(store.update('user', list)).toEqual({ kind: 'removed' });
    expect([store.take('user'), store.take('user', { forced: true }), store.size]).toEqual([undefined, undefined, 0]);
  });

  test('[R11] and a completed list of an unknown prompt leaves nothing', () => {
    const store = new ActiveTodoReminderStore();
    expect(store.update('a', todos('done', 'completed'))).toEqual({ kind: 'removed' });
    expect(store.size).toBe(0);
  });
});

test('[R8] [F39] asking counts one request: five parallel results are asked for once', () => {
  const store = new ActiveTodoReminderStore({ every: 2 });
  store.update('a', todos('of a'));
  const asked = Array.from({ length: 6 }, () => store.take('a') !== undefined);
  expect(asked).toEqual([false, true, false, true, false, true]);
});

describe('[R9] how often it is repeated', () => {
  const asks = (store: ActiveTodoReminderStore, count: number): readonly boolean[] =>
    Array.from({ length: count }, () => store.take('a') !== undefined);

  test('each tool turn is the default', () => {
    const store = new ActiveTodoReminderStore();
    store.update('a', todos('of a'));
    expect(asks(store, 3)).toEqual([true, true, true]);
  });

  test('[F38] not in the request that carries the write’s own result', () => {
    const store = new ActiveTodoReminderStore({ repeatAfterWrite: false });
    store.update('a', todos('of a'));
    expect(asks(store, 3)).toEqual([false, true, true]);
    store.update('a', todos('of a', 'in_progress'));
    expect(asks(store, 2)).toEqual([false, true]);
  });

  test('every n-th, counted anew from a write', () => {
    const store = new ActiveTodoReminderStore({ every: 3 });
    store.update('a', todos('of a'));
    expect(asks(store, 7)).toEqual([false, false, true, false, false, true, false]);
    store.update('a', todos('of a', 'in_progress'));
    expect(asks(store, 3)).toEqual([false, false, true]);
  });

  test('forced, which begins a new interval', () => {
    const store = new ActiveTodoReminderStore({ every: 3, repeatAfterWrite: false });
    store.update('a', todos('of a'));
    expect(store.take('a', { forced: true })).toContain('of a');
    expect(asks(store, 3)).toEqual([false, false, true]);
    expect(asks(store, 2)).toEqual([false, false]);
    expect(store.take('a', { forced: true })).toContain('of a');
    expect(asks(store, 3)).toEqual([false, false, true]);
  });

  test('a retry takes the interval over with the reminder', () => {
    const store = new ActiveTodoReminderStore({ every: 2 });
    store.update('first', todos('of a'));
    store.take('first');
    store.startChain('a', { continuedFrom: 'first' });
    expect(asks(store, 3)).toEqual([true, false, true]);
  });
});

describe('[R10] [F35] a child scope', () => {
  test('has a store of its own with the same options: nothing leaks up or down', () => {
    const parent = new ActiveTodoReminderStore({ repeatAfterWrite: false });
    parent.startChain('prompt');
    parent.update('prompt', todos('of the parent'));
    parent.take('prompt');
    const child = parent.fork();
    child.startChain('prompt');
    expect([shown(child, 'prompt'), shown(parent, 'prompt')]).toEqual([[], ['of the parent']]);
    child.update('prompt', todos('of the child'));
    expect([shown(child, 'prompt'), shown(child, 'prompt')]).toEqual([[], ['of the child']]);
    child.clear();
    expect(shown(parent, 'prompt')).toEqual(['of the parent']);
    child.update('other', todos('late'));
    parent.clear();
    expect(shown(child, 'other')).toEqual([]);
    expect(shown(child, 'other')).toEqual(['late']);
  });

  test('two stores of one process share nothing', () => {
    const store = startedStore();
    expect(new ActiveTodoReminderStore().take('user')).toBeUndefined();
    expect(shown(store, 'user')).toEqual(['of the user']);
  });
});

describe('[R11] memory is bounded', () => {
  test('[F46] five hundred automatic chains leave nothing, late results included', () => {
    const store = startedStore();
    for (let run = 0; run < 500; run++) {
      store.startAutomaticChain(`run ${run}`);
      store.update(`run ${run}`, todos(`of run ${run}`));
      store.endAutomaticChain(`run ${run}`);
      store.update(`run ${run}`, todos('late'));
    }
    expect([store.size, shown(store, 'user')]).toEqual([1, ['of the user']]);
    store.startChain('next');
    expect(store.size).toBe(0);
  });

  test('[F46] five hundred that never end keep the newest hundred and the user’s', () => {
    const store = startedStore();
    for (let run = 0; run < 500; run++) {
      store.startAutomaticChain(`run ${run}`);
      store.update(`run ${run}`, todos(`of run ${run}`));
    }
    expect(store.size).toBe(101);
    expect(['user', 'run 399', 'run 400'].map((id) => shown(store, id))).toEqual([['of the user'], [], ['of run 400']]);
  });

  test('[F46] prompts that are never started keep the newest hundred', () => {
    const store = new ActiveTodoReminderStore();
    for (let prompt = 0; prompt < 500; prompt++) store.update(`prompt ${prompt}`, todos('a'));
    expect(store.size).toBe(100);
  });

  test('[F46] five hundred related turns of one chain leave its prompt and its list', () => {
    const store = startedStore();
    for (let turn = 0; turn < 500; turn++) {
      store.startAutomaticChain(`turn ${turn}`, { continuedFrom: 'user' });
      store.update(`turn ${turn}`, todos(`of turn ${turn}`));
    }
    for (let turn = 0; turn < 500; turn++) store.endAutomaticChain(`turn ${turn}`);
    expect([store.size, shown(store, 'user')]).toEqual([1, ['of turn 499']]);
    store.startChain('from one that was forgotten', { continuedFrom: 'turn 0' });
    expect(store.size).toBe(0);
  });
});

test('[R12] a reminder is context, never proof: no part of it can reach the guard, or be reached by it', () => {
  const source = new URL('../../src/', import.meta.url);
  const importsOf = (file: string): readonly string[] =>
    [...readFileSync(new URL(file, source), 'utf8').matchAll(/from '([^']+)'/g)].map(([, name = '']) => name);
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const own = files.filter((file) => file.startsWith('reminder'));
  expect(own).toContain(join('reminder', 'store.ts'));
  // The reader of Todo items is the one piece that both use, and it knows neither.
  const outside = own.flatMap(importsOf).filter((name) => !/^\.\/[a-z-]+\.ts$/.test(name));
  expect(new Set(outside)).toEqual(new Set(['../todo-items.ts']));
  expect(importsOf('todo-items.ts')).toEqual([]);
  const users = files.filter((file) => importsOf(file).some((name) => name.includes('/reminder/')));
  expect(users.filter((file) => !['index.ts', 'prompt-context.ts'].includes(file))).toEqual([]);
});

describe('[T6] [F36] ids', () => {
  test.each(['', null, undefined, 7])('%j is no prompt id, and changes nothing', (id) => {
    const store = startedStore();
    const calls: readonly ((promptId: string) => unknown)[] = [
      (promptId) => store.update(promptId, todos('stray')),
      (promptId) => store.take(promptId),
      (promptId) => {
        store.startChain(promptId);
      },
      (promptId) => {
        store.startAutomaticChain(promptId);
      },
      (promptId) => {
        store.endAutomaticChain(promptId);
      },
    ];
    for (const call of calls) {
      expect(() => {
        Reflect.apply(call, undefined, [id]);
      }).toThrow(new TypeError('promptId must be a string that is not empty: pass the id of a prompt.'));
    }
    expect(shown(store, 'user')).toEqual(['of the user']);
  });

  test('an empty id to continue from is no id either', () => {
    const store = startedStore();
    const message = 'continuedFrom must be a string that is not empty: pass the id of a prompt.';
    expect(() => {
      store.startChain('next', { continuedFrom: '' });
    }).toThrow(new TypeError(message));
    expect(() => {
      store.startAutomaticChain('next', { continuedFrom: '' });
    }).toThrow(new TypeError(message));
    expect(shown(store, 'user')).toEqual(['of the user']);
  });

  test('are compared strictly: "null" and "__proto__" are names like any other', () => {
    const store = startedStore();
    expect(['null', 'undefined', '__proto__', 'USER', 'user '].map((id) => store.take(id))).toEqual(
      new Array(5).fill(undefined),
    );
    store.update('__proto__', todos('a'));
    expect([shown(store, '__proto__'), shown(store, 'user')]).toEqual([['a'], ['of the user']]);
  });
});

describe('[G5] options', () => {
  test.each([
    [{ charsMax: 499 }, new RangeError('charsMax must be a whole number from 500 to 4000.')],
    [{ charsMax: 4_001 }, new RangeError('charsMax must be a whole number from 500 to 4000.')],
    [{ every: 0 }, new RangeError('every must be a whole number from 1 to 1000.')],
    [{ every: 1.5 }, new RangeError('every must be a whole number from 1 to 1000.')],
    [{ every: '2' }, new RangeError('every must be a whole number from 1 to 1000.')],
    [{ repeatAfterWrite: 'no' }, new TypeError('repeatAfterWrite must be true or false.')],
    [{ evry: 2 }, new TypeError('Unknown option evry: use charsMax, every, repeatAfterWrite.')],
  ])('%j is refused by name', (options, error) => {
    expect(() => {
      Reflect.construct(ActiveTodoReminderStore, [options]);
    }).toThrow(error);
  });

  test('[R6] the size is one', () => {
    const store = new ActiveTodoReminderStore({ charsMax: 500 });
    store.update('a', todos('word '.repeat(200)));
    expect(store.take('a')?.length).toBeGreaterThan(490);
    expect(store.take('a')?.length).toBeLessThanOrEqual(500);
  });
});
