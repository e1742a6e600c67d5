import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  captureBaseline,
  hasRelevantBackground,
  isRelated,
  REVOKED_BASELINE,
  type BackgroundId,
  type BackgroundKind,
  type BackgroundReference,
  type BackgroundSnapshot,
  type BackgroundTask,
} from '../src/background.ts';

const KINDS: readonly BackgroundKind[] = ['agent', 'shell', 'monitor', 'wakeup'];
const NOTHING: BackgroundSnapshot = { tasks: [], notifications: [] };

const task = (
  kind: BackgroundKind,
  id: string,
  state: BackgroundTask['state'] = 'running',
  parent?: BackgroundReference,
): BackgroundTask => ({ kind, id, state, ...(parent && { parent }) });
const agent = (id: string): BackgroundReference => ({ kind: 'agent', id });
const tasks = (...list: BackgroundTask[]): BackgroundSnapshot => ({ tasks: list, notifications: [] });
const notifications = (...list: BackgroundId[]): BackgroundSnapshot => ({ tasks: [], notifications: list });
const emptyBaseline = captureBaseline(NOTHING);

describe('the baseline', () => {
  test.each(KINDS)('[K1] records a %s that is live when the chain begins', (kind) => {
    const before = tasks(task(kind, 'old'));
    expect(hasRelevantBackground(captureBaseline(before), before)).toBe(false);
    expect(isRelated(captureBaseline(before), { kind, id: 'old' })).toBe(false);
  });

  test.each(KINDS)('[K1] records a notification of a %s that is queued when the chain begins', (kind) => {
    const before = notifications({ kind, id: 'old' });
    expect(hasRelevantBackground(captureBaseline(before), before)).toBe(false);
    expect(isRelated(captureBaseline(before), { kind, id: 'old' })).toBe(false);
  });

  test('[K1] a task that ended just before the chain began is not its own, though it is reported later', () => {
    const baseline = captureBaseline(tasks(task('shell', 'build', 'finished')));
    expect(hasRelevantBackground(baseline, notifications({ kind: 'shell', id: 'build' }))).toBe(false);
  });

  test('[K1] a parent that only its child knows of is older than the chain too', () => {
    const baseline = captureBaseline(tasks(task('monitor', 'log', 'running', agent('gone'))));
    expect(isRelated(baseline, agent('gone'))).toBe(false);
  });

  test('[K1] is a value of its own: what begins later is not in it', () => {
    const list = [task('shell', 'old')];
    const baseline = captureBaseline({ tasks: list, notifications: [] });
    list.push(task('shell', 'new'));
    expect(hasRelevantBackground(baseline, { tasks: list, notifications: [] })).toBe(true);
  });
});

describe('relevance', () => {
  test.each(KINDS)('[K2] a %s that began in the chain is relevant while it is live', (kind) => {
    expect(hasRelevantBackground(emptyBaseline, tasks(task(kind, 'new')))).toBe(true);
    expect(hasRelevantBackground(emptyBaseline, NOTHING)).toBe(false);
  });

  test('[K2] a queued notification or wakeup of the chain is relevant', () => {
    expect(hasRelevantBackground(emptyBaseline, notifications({ kind: 'shell', id: 'new' }))).toBe(true);
    expect(hasRelevantBackground(emptyBaseline, notifications({ kind: 'wakeup', id: 'new' }))).toBe(true);
  });

  test('[K2] [F16] a task that is queued but not started is live', () => {
    expect(hasRelevantBackground(emptyBaseline, tasks(task('agent', 'new', 'queued')))).toBe(true);
  });

  test('[K2] [F19] a monitor that has ended is not live', () => {
    expect(hasRelevantBackground(emptyBaseline, tasks(task('monitor', 'log', 'finished')))).toBe(false);
  });

  test('[K2] a task that has ended is relevant for as long as its notification is queued', () => {
    const ended = task('shell', 'build', 'finished');
    const reported: BackgroundSnapshot = { tasks: [ended], notifications: [{ kind: 'shell', id: 'build' }] };
    expect(hasRelevantBackground(emptyBaseline, reported)).toBe(true);
    expect(hasRelevantBackground(emptyBaseline, tasks(ended))).toBe(false);
  });

  test('[K3] cron jobs have no kind, so that a snapshot cannot hold one', () => {
    // @ts-expect-error -- cron is not background work
    const kind: BackgroundKind = 'cron';
    expect(KINDS).not.toContain(kind);
  });

  test('[K4] one id under two kinds names two things', () => {
    const baseline = captureBaseline(tasks(task('shell', '1')));
    expect(isRelated(baseline, { kind: 'shell', id: '1' })).toBe(false);
    expect(isRelated(baseline, { kind: 'agent', id: '1' })).toBe(true);
    expect(hasRelevantBackground(baseline, tasks(task('shell', '1'), task('agent', '1')))).toBe(true);
  });

  test('[K4] a parent is found under its own kind only', () => {
    const baseline = captureBaseline(tasks(task('shell', 'p')));
    const child = task('monitor', 'm', 'running', agent('p'));
    expect(hasRelevantBackground(baseline, tasks(task('shell', 'p'), child))).toBe(true);
  });

  test.each(['', ' ', '__proto__', 'constructor', 'agent:1', 'null', '\uD800', '1'])(
    '[K4] the id %j is a plain string like any other',
    (id) => {
      const baseline = captureBaseline(tasks(task('shell', id)));
      expect(isRelated(emptyBaseline, { kind: 'shell', id })).toBe(true);
      expect(isRelated(baseline, { kind: 'shell', id })).toBe(false);
      for (const other of ['', '__proto__', 'shell:1', 'x'].filter((candidate) => candidate !== id)) {
        expect(isRelated(baseline, { kind: 'shell', id: other })).toBe(true);
      }
    },
  );
});

describe('lineage', () => {
  const oldAgent = task('agent', 'old');
  const baseline = captureBaseline(tasks(oldAgent));

  test("[K2] a new child of an inherited agent is inherited, a new agent's child is the chain's", () => {
    const monitor = task('monitor', 'm', 'running', agent('old'));
    expect(hasRelevantBackground(baseline, tasks(oldAgent, monitor))).toBe(false);
    expect(isRelated(baseline, monitor)).toBe(false);
    const ended = task('agent', 'new', 'finished');
    expect(hasRelevantBackground(baseline, tasks(ended, task('shell', 's', 'running', agent('new'))))).toBe(true);
  });

  test('[K2] [F17] descendants count after the agent that began them has ended', () => {
    const parent = task('agent', 'parent', 'finished');
    const child = task('agent', 'child', 'finished', agent('parent'));
    const grandchild = task('agent', 'grandchild', 'queued', agent('child'));
    expect(hasRelevantBackground(baseline, tasks(parent, child, grandchild))).toBe(true);
    expect(hasRelevantBackground(baseline, tasks(parent, child))).toBe(false);
  });

  test('[K2] a sub-agent of a sub-agent of an inherited agent is inherited, in any order of entries', () => {
    const child = task('agent', 'child', 'running', agent('old'));
    const grandchild = task('agent', 'grandchild', 'running', agent('child'));
    expect(hasRelevantBackground(baseline, tasks(oldAgent, child, grandchild))).toBe(false);
    expect(hasRelevantBackground(baseline, tasks(grandchild, child, oldAgent))).toBe(false);
    expect(isRelated(baseline, grandchild, tasks(child))).toBe(false);
  });

  test('[K2] an inherited parent that is gone from the snapshot still decides', () => {
    expect(hasRelevantBackground(baseline, tasks(task('monitor', 'm', 'running', agent('old'))))).toBe(false);
  });

  test('[K2] with an unknown parent the own id decides', () => {
    const before = captureBaseline(tasks(task('shell', 'orphan')));
    expect(isRelated(before, { kind: 'shell', id: 'orphan', parent: agent('unknown') })).toBe(false);
    expect(isRelated(before, { kind: 'shell', id: 'new', parent: agent('unknown') })).toBe(true);
  });

  test('[K2] in a cycle each own id decides, and who hangs off it counts with its parent', () => {
    const a = task('agent', 'a', 'running', agent('old'));
    const old = task('agent', 'old', 'running', agent('a'));
    const child = task('shell', 'child', 'running', agent('old'));
    const other = task('shell', 'other', 'running', agent('a'));
    const cycle = tasks(a, old, child, other);
    expect([a, old, child, other].map((id) => isRelated(baseline, id, cycle))).toEqual([true, false, false, true]);
    expect(hasRelevantBackground(baseline, cycle)).toBe(true);
    expect(hasRelevantBackground(baseline, tasks({ ...a, state: 'finished' }, old, child))).toBe(false);
  });

  test('[K2] its own parent is a cycle of one', () => {
    expect(isRelated(baseline, { ...agent('old'), parent: agent('old') })).toBe(false);
    expect(isRelated(baseline, { ...agent('self'), parent: agent('self') })).toBe(true);
  });

  test('[K2] a notification counts with the parent that its task names', () => {
    const ended = task('shell', 's', 'finished', agent('old'));
    const snapshot: BackgroundSnapshot = { tasks: [ended], notifications: [{ kind: 'shell', id: 's' }] };
    expect(hasRelevantBackground(baseline, snapshot)).toBe(false);
    expect(isRelated(baseline, { kind: 'shell', id: 's' }, snapshot)).toBe(false);
  });

  test('[K2] of two parents that are named for one id, the first is believed, and the own one before all', () => {
    const source: BackgroundId = { kind: 'shell', id: 's', parent: agent('old') };
    const snapshot = tasks(task('agent', 'new'), task('shell', 's', 'running', agent('new')));
    expect(isRelated(baseline, source, snapshot)).toBe(false);
    expect(isRelated(baseline, { kind: 'shell', id: 's' }, snapshot)).toBe(true);
  });
});

describe('revoked trust', () => {
  test('[C4] nothing is related or relevant until the next chain', () => {
    const busy: BackgroundSnapshot = {
      tasks: [task('agent', 'new'), task('shell', 'child', 'queued', agent('new'))],
      notifications: [{ kind: 'wakeup', id: 'w' }],
    };
    expect(hasRelevantBackground(REVOKED_BASELINE, busy)).toBe(false);
    expect(isRelated(REVOKED_BASELINE, agent('new'), busy)).toBe(false);
  });
});

/** Few ids and parents from the same few, so that collisions, orphans and cycles are common. */
const reference = fc.record({
  kind: fc.constantFrom<BackgroundKind>('agent', 'shell'),
  id: fc.constantFrom('a', 'b', 'c', '', '__proto__'),
});
const entry = fc
  .record({ own: reference, parent: fc.option(reference, { nil: undefined }) })
  .map(({ own, parent }): BackgroundId => (parent === undefined ? own : { ...own, parent }));
const anyTask = fc
  .record({ own: entry, state: fc.constantFrom<BackgroundTask['state']>('queued', 'running', 'finished') })
  .map(({ own, state }): BackgroundTask => ({ ...own, state }));
const anySnapshot: fc.Arbitrary<BackgroundSnapshot> = fc.record({
  tasks: fc.array(anyTask, { maxLength: 8 }),
  notifications: fc.array(entry, { maxLength: 4 }),
});

/** The rule word by word: walk up anew for every id, with lists only. */
function naivelyInherited(before: BackgroundSnapshot, now: BackgroundSnapshot, id: BackgroundReference): boolean {
  const same = (a: BackgroundReference, b: BackgroundReference): boolean => a.kind === b.kind && a.id === b.id;
  const older = [...before.tasks, ...before.notifications].flatMap((known) => [known, known.parent ?? known]);
  const isOlder = (one: BackgroundReference): boolean => older.some((known) => same(known, one));
  const parentOf = (one: BackgroundReference): BackgroundReference | undefined =>
    [...now.tasks, ...now.notifications].find((known) => same(known, one) && known.parent !== undefined)?.parent;
  const isOnCycle = (one: BackgroundReference): boolean => {
    let above = parentOf(one);
    for (let step = 0; step < 20 && above !== undefined; step += 1) {
      if (same(above, one)) return true;
      above = parentOf(above);
    }
    return false;
  };
  let current: BackgroundReference | undefined = id;
  while (current !== undefined) {
    if (isOlder(current)) return true;
    current = isOnCycle(current) ? undefined : parentOf(current);
  }
  return false;
}

test('[K5] [K2] relevance is what a naive reading of the rule says, for any two snapshots', () => {
  fc.assert(
    fc.property(anySnapshot, anySnapshot, (before, now) => {
      const baseline = captureBaseline(before);
      const live = [...now.tasks.filter(({ state }) => state !== 'finished'), ...now.notifications];
      const relevant = live.filter((id) => !naivelyInherited(before, now, id));
      expect(hasRelevantBackground(baseline, now)).toBe(relevant.length > 0);
    }),
    { numRuns: 2_000 },
  );
});

test('[K5] relatedness is pure: frozen input, the same answer twice, whatever was asked in between', () => {
  fc.assert(
    fc.property(anySnapshot, anySnapshot, entry, (before, now, source) => {
      const baseline = Object.freeze(captureBaseline(before));
      for (const known of [...now.tasks, ...now.notifications]) Object.freeze(known);
      const first = isRelated(baseline, source, now);
      hasRelevantBackground(baseline, now);
      expect(isRelated(baseline, source, now)).toBe(first);
      const own = { tasks: [{ ...source, state: 'running' as const }, ...now.tasks], notifications: now.notifications };
      expect(first).toBe(!naivelyInherited(before, own, source));
    }),
    { numRuns: 1_000 },
  );
});

describe('size', () => {
  const COUNT = 10_000;

  /** A snapshot that counts how often any property of its tasks is read. */
  function counted(list: readonly BackgroundTask[]): { snapshot: BackgroundSnapshot; reads: () => number } {
    let reads = 0;
    const watch = (one: BackgroundTask): BackgroundTask =>
      new Proxy(one, {
        get(target, name, receiver): unknown {
          reads += 1;
          return Reflect.get(target, name, receiver);
        },
      });
    return { snapshot: tasks(...list.map(watch)), reads: () => reads };
  }

  test('[K2] ten thousand ids are read a constant number of times each', () => {
    const old = Array.from({ length: COUNT }, (_, index) => task('shell', `s${index}`));
    const baseline = captureBaseline(tasks(...old));
    const { snapshot, reads } = counted(old);
    expect(hasRelevantBackground(baseline, snapshot)).toBe(false);
    expect(reads()).toBeLessThanOrEqual(6 * COUNT);
  });

  test('[K2] a lineage of ten thousand levels is walked without recursion and read once', () => {
    const chain = Array.from({ length: COUNT }, (_, level) =>
      task('agent', `a${level}`, 'running', level === 0 ? undefined : agent(`a${level - 1}`)),
    );
    const baseline = captureBaseline(tasks(task('agent', 'a0')));
    for (const order of [chain, chain.toReversed()]) {
      const { snapshot, reads } = counted(order);
      expect(hasRelevantBackground(baseline, snapshot)).toBe(false);
      expect(reads()).toBeLessThanOrEqual(10 * COUNT);
    }
    expect(hasRelevantBackground(emptyBaseline, tasks(...chain))).toBe(true);
  });

  test('[K2] a quarter of a million levels that all have to be settled do not take a walk each', () => {
    // A walk to the root for every entry would be some thirty thousand million steps: it would hit the test's limit.
    const levels = 250_000;
    const chain = Array.from({ length: levels }, (_, level) =>
      task('agent', `a${level}`, 'running', agent(`a${level - 1}`)),
    );
    const baseline = captureBaseline(tasks(task('agent', 'a-1')));
    expect(hasRelevantBackground(baseline, { tasks: chain, notifications: [] })).toBe(false);
  });
});
