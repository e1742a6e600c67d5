import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ActiveTodoReminderStore } from '../../src/reminder/store.ts';

/**
 * A deliberately dumb model: it writes down everything that ever happened, forgets nothing, and answers each question by
 * going through it from the start.
 */
type Happening =
  | { readonly did: 'startChain' | 'startAutomaticChain'; readonly id: string; readonly continuedFrom?: string }
  | { readonly did: 'update'; readonly id: string; readonly content: string | null }
  | { readonly did: 'endAutomaticChain'; readonly id: string }
  | { readonly did: 'clear' };

interface Place {
  chain: number;
  kind: 'user' | 'automatic' | 'stray';
  over: boolean;
  since: number;
}

/** What each id would be shown after all that happened. */
function expected(happenings: readonly Happening[], ids: readonly string[]): Record<string, string | undefined> {
  const places = new Map<string, Place>();
  const lists = new Map<number, string | null>();
  const gone = new Set<string>();

  const drop = (isDropped: (place: Place) => boolean): void => {
    for (const [id, place] of places) {
      if (!isDropped(place)) continue;
      places.delete(id);
      gone.add(id);
    }
  };
  const dropFinishedChains = (): void => {
    drop(({ chain }) => [...places.values()].every((place) => place.chain !== chain || place.over));
  };
  const reads = (id: string): boolean => {
    const own = places.get(id);
    return (
      own !== undefined &&
      [...places.values()].every((place) => place.chain !== own.chain || place.since <= own.since || place.over)
    );
  };
  const enter = (id: string, place: Place): void => {
    places.set(id, place);
    gone.delete(id);
    dropFinishedChains();
  };

  happenings.forEach((happening, now) => {
    if (happening.did === 'clear') {
      drop(() => true);
      return;
    }
    const { id } = happening;
    const own = places.get(id);
    if (happening.did === 'update') {
      if (own === undefined ? gone.has(id) : own.over || !reads(id)) return;
      if (own !== undefined) lists.set(own.chain, happening.content);
      else if (happening.content !== null) {
        enter(id, { chain: now, kind: 'stray', over: false, since: now });
        lists.set(now, happening.content);
      }
    } else if (happening.did === 'endAutomaticChain') {
      if (own !== undefined && own.kind !== 'user') own.over = true;
      dropFinishedChains();
    } else {
      const { continuedFrom = '' } = happening;
      const chain = places.get(continuedFrom)?.chain ?? now;
      if (happening.did === 'startChain') {
        for (const place of places.values()) if (place.chain === chain) place.over = true;
        drop((place) => place.chain !== chain && place.kind !== 'automatic');
        enter(id, { chain, kind: 'user', over: false, since: now });
      } else if (continuedFrom !== id || own === undefined || own.over) {
        enter(id, { chain, kind: 'automatic', over: false, since: now });
      }
    }
  });
  return Object.fromEntries(
    ids.map((id) => [id, reads(id) ? (lists.get(places.get(id)?.chain ?? -1) ?? undefined) : undefined]),
  );
}

const IDS = ['a', 'b', 'c', 'd'];
const anyId = fc.constantFrom(...IDS);
const anyStart = fc.record(
  { did: fc.constantFrom('startChain' as const, 'startAutomaticChain' as const), id: anyId, continuedFrom: anyId },
  { requiredKeys: ['did', 'id'] },
);
const anyHappening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 4, arbitrary: anyStart },
  {
    weight: 4,
    arbitrary: fc.record({
      did: fc.constant('update' as const),
      id: anyId,
      content: fc.option(fc.stringMatching(/^[a-z]{8}$/)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ did: fc.constant('endAutomaticChain' as const), id: anyId }) },
  { weight: 1, arbitrary: fc.constant({ did: 'clear' as const }) },
);

function apply(store: ActiveTodoReminderStore, happening: Happening): void {
  if (happening.did === 'clear') store.clear();
  else if (happening.did === 'endAutomaticChain') store.endAutomaticChain(happening.id);
  else if (happening.did === 'update') {
    const { content } = happening;
    store.update(happening.id, content === null ? [] : [{ id: '1', content, status: 'pending' }]);
  } else {
    store[happening.did](happening.id, { continuedFrom: happening.continuedFrom });
  }
}

const item = (reminder: string | undefined): string | undefined =>
  reminder === undefined ? undefined : /^- \[pending\] (.*)$/m.exec(reminder)?.[1];

test('[R3] [R4] [R11] any sequence of operations leaves a store that agrees with the model', () => {
  fc.assert(
    fc.property(fc.array(anyHappening, { maxLength: 30, size: 'max' }), (happenings) => {
      const store = new ActiveTodoReminderStore();
      happenings.forEach((happening, index) => {
        apply(store, happening);
        const now = Object.fromEntries(IDS.map((id) => [id, item(store.take(id))]));
        expect(now).toEqual(expected(happenings.slice(0, index + 1), IDS));
      });
    }),
    { numRuns: 500 },
  );
});

test('[R11] ending all chains leaves the store empty, whatever was before', () => {
  fc.assert(
    fc.property(fc.array(anyHappening, { maxLength: 30, size: 'max' }), (happenings) => {
      const store = new ActiveTodoReminderStore();
      for (const happening of happenings) apply(store, happening);
      store.startChain('the last prompt');
      for (const id of IDS) store.endAutomaticChain(id);
      expect(store.size).toBe(0);
      expect(IDS.map((id) => store.take(id))).toEqual(IDS.map(() => undefined));
    }),
  );
});
