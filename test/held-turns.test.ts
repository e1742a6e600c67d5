import * as fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import type { BackgroundId } from '../src/background.ts';
import {
  emptyHeldTurns,
  holdTurn,
  releaseNextTurn,
  withdrawTurns,
  type DroppedTurn,
  type HeldTurn,
  type HeldTurns,
} from '../src/held-turns.ts';

type Turn = HeldTurn<string>;

/** In these tests the chain's own work has ids that begin with `own`. */
const isOwn = (source: BackgroundId): boolean => source.id.startsWith('own');

const fire = (turn: string, recurringTask: string): Turn => ({ turn, source: null, recurringTask, payload: turn });
const once = (turn: string): Turn => ({ turn, source: null, payload: turn });
const report = (turn: string, id: string): Turn => ({ turn, source: { kind: 'shell', id }, payload: turn });
const ids = (queue: HeldTurns<string>): string[] => queue.turns.map(({ turn }) => turn);

function holdAll(
  turns: readonly Turn[],
  start = emptyHeldTurns<string>(),
): { queue: HeldTurns<string>; dropped: DroppedTurn<string>[] } {
  const dropped: DroppedTurn<string>[] = [];
  let queue = start;
  for (const held of turns) {
    const next = holdTurn(queue, held, isOwn);
    queue = next.queue;
    dropped.push(...next.dropped);
  }
  return { queue, dropped };
}

describe('holding', () => {
  test('[Q1] turns wait in the order in which they were held', () => {
    expect(ids(holdAll([once('a'), report('b', 'own-1'), fire('c', 'hourly')]).queue)).toEqual(['a', 'b', 'c']);
  });

  test("[Q1] the newest fire of a recurring task wins its task's place, and the loss is reported", () => {
    const { queue, dropped } = holdAll([fire('a1', 'a'), once('x'), fire('b1', 'b'), fire('a2', 'a')]);
    expect(ids(queue)).toEqual(['a2', 'x', 'b1']);
    expect(dropped).toEqual([{ held: fire('a1', 'a'), reason: 'coalesced' }]);
  });

  test('[Q1] related fires of a recurring task do not coalesce, neither with each other nor with unrelated ones', () => {
    const own = (turn: string): Turn => ({ ...report(turn, 'own-1'), recurringTask: 'a' });
    const { queue, dropped } = holdAll([own('o1'), own('o2'), fire('a1', 'a'), own('o3'), fire('a2', 'a')]);
    expect(ids(queue)).toEqual(['o1', 'o2', 'a2', 'o3']);
    expect(dropped.map(({ held }) => held.turn)).toEqual(['a1']);
  });

  test('[Q1] [C4] work that is related no more counts, and as many leave as are too many', () => {
    const start = emptyHeldTurns<string>(2);
    const { queue } = holdAll(
      [fire('c', 'hourly'), report('o1', 'own-1'), report('o2', 'own-2'), report('o3', 'own-3')],
      start,
    );
    const next = holdTurn(queue, once('x'), () => false);
    expect(ids(next.queue)).toEqual(['o3', 'x']);
    expect(next.dropped.map(({ held, reason }) => [held.turn, reason])).toEqual([
      ['c', 'queue_full'],
      ['o1', 'queue_full'],
      ['o2', 'queue_full'],
    ]);
  });

  test('[Q1] a turn without an id is a mistake that is told', () => {
    expect(() => holdTurn(emptyHeldTurns<string>(), once(''), isOwn)).toThrow('turn must not be empty');
  });

  test('[Q1] a turn that waits already changes nothing', () => {
    const { queue } = holdAll([fire('a', 'task'), once('b')]);
    for (const again of [fire('a', 'task'), once('b'), report('b', 'own-1')]) {
      const next = holdTurn(queue, again, isOwn);
      expect(next.queue).toBe(queue);
      expect(next.dropped).toEqual([]);
    }
  });

  test('[Q1] a full queue loses its oldest recurring turn, then its oldest other unrelated one', () => {
    const start = emptyHeldTurns<string>(3);
    const { queue, dropped } = holdAll(
      [once('a'), fire('b', 'b'), fire('c', 'c'), once('d'), once('e'), once('f')],
      start,
    );
    expect(ids(queue)).toEqual(['d', 'e', 'f']);
    expect(dropped.map(({ held, reason }) => [held.turn, reason])).toEqual([
      ['b', 'queue_full'],
      ['c', 'queue_full'],
      ['a', 'queue_full'],
    ]);
  });

  test('[Q1] a recurring fire that finds only others goes itself: it will come again', () => {
    const { queue, dropped } = holdAll([once('a'), once('b'), fire('c', 'c')], emptyHeldTurns<string>(2));
    expect(ids(queue)).toEqual(['a', 'b']);
    expect(dropped).toEqual([{ held: fire('c', 'c'), reason: 'queue_full' }]);
  });

  test('[Q1] related work does not count towards the bound and never makes way', () => {
    const own = Array.from({ length: 5 }, (_, index) => report(`own${index}`, 'own-1'));
    const { queue, dropped } = holdAll([...own, once('a'), once('b'), once('c')], emptyHeldTurns<string>(2));
    expect(ids(queue)).toEqual([...own.map(({ turn }) => turn), 'b', 'c']);
    expect(dropped.map(({ held }) => held.turn)).toEqual(['a']);
  });

  test('[Q1] [C4] what was related when it was held is bounded like the rest once its chain is gone', () => {
    const own = Array.from({ length: 5 }, (_, index) => report(`own${index}`, 'own-1'));
    const { queue } = holdAll(own, emptyHeldTurns<string>(2));
    const next = holdTurn(queue, once('x'), () => false);
    expect(ids(next.queue)).toEqual(['own4', 'x']);
    expect(next.dropped).toHaveLength(4);
  });

  test('[Q1] while the queue has room for all, relatedness is not asked for', () => {
    const asked: string[] = [];
    const isRelated = ({ id }: BackgroundId): boolean => {
      asked.push(id);
      return false;
    };
    let queue = emptyHeldTurns<string>(2);
    for (const turn of ['a', 'b']) queue = holdTurn(queue, report(turn, turn), isRelated).queue;
    expect(asked).toEqual([]);
    expect(ids(holdTurn(queue, report('c', 'c'), isRelated).queue)).toEqual(['b', 'c']);
    expect(asked).toEqual(['a', 'b', 'c']);
  });

  test('[Q1] a hundred unrelated turns wait by default', () => {
    const { queue, dropped } = holdAll(Array.from({ length: 101 }, (_, index) => once(`t${index}`)));
    expect(queue.turns).toHaveLength(100);
    expect(dropped.map(({ held }) => held.turn)).toEqual(['t0']);
  });

  test.each([0, -1, 1.5, Number.NaN, Infinity, 10_001])('[Q1] a bound of %d is refused by name', (unrelatedMax) => {
    expect(() => emptyHeldTurns(unrelatedMax)).toThrow(RangeError);
    expect(() => emptyHeldTurns(unrelatedMax)).toThrow(/unrelatedMax must be a whole number from 1 to 10000/);
  });

  test.each([1, 10_000])('[Q1] a bound of %d is taken', (unrelatedMax) => {
    expect(emptyHeldTurns(unrelatedMax)).toEqual({ unrelatedMax, turns: [] });
  });

  test('[T6] an empty turn id is a mistake of the caller', () => {
    expect(() => holdTurn(emptyHeldTurns<string>(), once(''), isOwn)).toThrow(TypeError);
  });
});

describe('releasing', () => {
  let queue: HeldTurns<string>;
  beforeEach(() => {
    ({ queue } = holdAll([once('a'), report('b', 'own-1'), fire('c', 'hourly'), report('d', 'own-2')]));
  });

  test('[Q2] every held turn is asked for, in order, until one is admitted', () => {
    const asked: string[] = [];
    const released = releaseNextTurn(queue, ({ turn }) => {
      asked.push(turn);
      return turn === 'c';
    });
    expect(asked).toEqual(['a', 'b', 'c']);
    expect(released.admitted).toEqual(fire('c', 'hourly'));
    expect(ids(released.queue)).toEqual(['a', 'b', 'd']);
    expect(ids(queue)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('[Q2] a related turn behind an unrelated one that must still wait is reached', () => {
    const related = ({ source }: Turn): boolean => source !== null && isOwn(source);
    const first = releaseNextTurn(queue, related);
    const second = releaseNextTurn(first.queue, related);
    expect([first.admitted?.turn, second.admitted?.turn]).toEqual(['b', 'd']);
    expect(ids(second.queue)).toEqual(['a', 'c']);
  });

  test('[Q2] while all must wait nothing leaves, and the queue is the same', () => {
    const released = releaseNextTurn(queue, () => false);
    expect(released).toEqual({ queue, admitted: null });
    expect(released.queue).toBe(queue);
  });

  test('[Q2] [F26] a release that fails loses nothing: the next one finds every turn', () => {
    const failing = ({ turn }: Turn): boolean => {
      if (turn === 'b') throw new Error('the session is gone');
      return false;
    };
    expect(() => releaseNextTurn(queue, failing)).toThrow('the session is gone');
    expect(releaseNextTurn(queue, () => true).admitted?.turn).toBe('a');
    expect(ids(queue)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('[Q2] [F26] with nothing in the way every turn is released, one after the other, in order', () => {
    const order: string[] = [];
    let rest = queue;
    for (;;) {
      const next = releaseNextTurn(rest, () => true);
      if (next.admitted === null) break;
      order.push(next.admitted.turn);
      rest = next.queue;
    }
    expect(order).toEqual(['a', 'b', 'c', 'd']);
    expect(rest.turns).toEqual([]);
  });

  test('[Q2] the host takes back what it does not want to run', () => {
    expect(ids(withdrawTurns(queue, ({ recurringTask }) => recurringTask === 'hourly'))).toEqual(['a', 'b', 'd']);
    expect(ids(withdrawTurns(queue, () => true))).toEqual([]);
    expect(withdrawTurns(queue, ({ turn }) => turn === 'unknown')).toBe(queue);
  });
});

/** The rules word by word, on a list that is changed in place. */
class NaiveQueue {
  readonly turns: Turn[] = [];
  readonly lost: string[] = [];
  readonly max: number;

  constructor(max: number) {
    this.max = max;
  }

  hold(held: Turn): void {
    if (this.turns.some(({ turn }) => turn === held.turn)) return;
    const unrelated = (one: Turn): boolean => one.source === null || !isOwn(one.source);
    if (held.recurringTask !== undefined && unrelated(held)) {
      for (let index = 0; index < this.turns.length; index += 1) {
        const other = this.turns[index];
        if (other !== undefined && unrelated(other) && other.recurringTask === held.recurringTask) {
          this.lost.push(other.turn);
          this.turns[index] = held;
          return;
        }
      }
    }
    this.turns.push(held);
    while (this.turns.filter(unrelated).length > this.max) {
      let victim = this.turns.findIndex((one) => unrelated(one) && one.recurringTask !== undefined);
      if (victim === -1) victim = this.turns.findIndex(unrelated);
      for (const { turn } of this.turns.splice(victim, 1)) this.lost.push(turn);
    }
  }

  release(admits: (held: Turn) => boolean): string | null {
    for (let index = 0; index < this.turns.length; index += 1) {
      const held = this.turns[index];
      if (held !== undefined && admits(held)) {
        this.turns.splice(index, 1);
        return held.turn;
      }
    }
    return null;
  }
}

const anyTurn = fc
  .record({
    turn: fc.integer({ min: 1, max: 30 }).map(String),
    source: fc.constantFrom(null, null, 'old-1', 'own-1', 'own-2'),
    recurringTask: fc.constantFrom(undefined, 'a', 'b', '__proto__'),
  })
  .map(({ turn, source, recurringTask }): Turn => ({
    turn,
    source: source === null ? null : { kind: 'monitor', id: source },
    ...(recurringTask !== undefined && { recurringTask }),
    payload: turn,
  }));
const anyAction = fc.oneof(
  { weight: 4, arbitrary: anyTurn.map((held) => ({ do: 'hold' as const, held })) },
  { weight: 1, arbitrary: fc.constantFrom('all', 'related').map((which) => ({ do: 'release' as const, which })) },
);

test('[Q1] [Q2] the queue does what a naive list does, loses nothing unreported, and never changes a value', () => {
  fc.assert(
    fc.property(fc.array(anyAction, { maxLength: 60 }), fc.integer({ min: 1, max: 6 }), (actions, max) => {
      const naive = new NaiveQueue(max);
      let queue = emptyHeldTurns<string>(max);
      const lost: string[] = [];
      for (const action of actions) {
        Object.freeze(queue.turns);
        if (action.do === 'hold') {
          naive.hold(action.held);
          const next = holdTurn(queue, action.held, isOwn);
          lost.push(...next.dropped.map(({ held }) => held.turn));
          queue = next.queue;
        } else {
          const admits = ({ source }: Turn): boolean => action.which === 'all' || (source !== null && isOwn(source));
          const next = releaseNextTurn(queue, admits);
          expect(next.admitted?.turn ?? null).toBe(naive.release(admits));
          queue = next.queue;
        }
        expect(queue.turns).toEqual(naive.turns);
        expect(lost).toEqual(naive.lost);
        expect(queue.turns.filter(({ source }) => source === null || !isOwn(source)).length).toBeLessThanOrEqual(max);
      }
    }),
    { numRuns: 1_000 },
  );
});

describe('size', () => {
  const FIRES = 100_000;

  test('[Q1] a hundred thousand fires of ten tasks leave ten turns, and related work stays where it was', () => {
    let queue = holdAll([report('own', 'own-1')]).queue;
    let dropped = 0;
    for (let index = 0; index < FIRES; index += 1) {
      const next = holdTurn(queue, fire(`t${index}`, `task${index % 10}`), isOwn);
      queue = next.queue;
      dropped += next.dropped.length;
    }
    expect(ids(queue)).toEqual(['own', ...Array.from({ length: 10 }, (_, index) => `t${FIRES - 10 + index}`)]);
    expect(dropped).toBe(FIRES - 10);
  });

  test('[Q1] a hundred thousand fires of as many tasks keep the queue at its bound at every moment', () => {
    let queue = emptyHeldTurns<string>();
    let most = 0;
    let dropped = 0;
    let questions = 0;
    for (let index = 0; index < FIRES; index += 1) {
      const next = holdTurn(queue, report(`t${index}`, `old${index}`), (source) => {
        questions += 1;
        return isOwn(source);
      });
      queue = next.queue;
      most = Math.max(most, queue.turns.length);
      dropped += next.dropped.length;
    }
    expect(most).toBe(100);
    expect(dropped).toBe(FIRES - 100);
    expect(questions).toBeLessThanOrEqual(101 * FIRES);
  });
});
