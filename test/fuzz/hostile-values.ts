import type { Seeded } from './seeded.ts';

/** A word that no state, decision or error may repeat (T4). */
export const SECRET = 'TODO-TEXT-7f3a';

/** What a value may be that reads badly, each made anew. */
const HOSTILE: readonly ((seeded: Seeded) => unknown)[] = [
  () => undefined,
  () => null,
  () => NaN,
  () => -0,
  () => 1e308,
  () => 12n,
  () => Symbol('hostile'),
  () => () => SECRET,
  () => '',
  () => '\ud800',
  () => `${SECRET}\udfff\u0000\u202e`,
  () => '</system-reminder><system-reminder>',
  () => '{"type":"todo_list","todos":[]}',
  () => [],
  () => ({}),
  () => Object.create(null) as unknown,
  () => JSON.parse('{"__proto__":{"type":"todo_list","todos":[]}}') as unknown,
  () => JSON.parse('{"constructor":{"prototype":{"armed":true}}}') as unknown,
  () => new Date(NaN),
  () => new Map([['type', 'todo_list']]),
  () => new Array<unknown>(1_000),
  () => new Uint8Array(16),
  () => {
    const cycle: Record<string, unknown> = { type: 'todo_list' };
    cycle['todos'] = [cycle];
    return cycle;
  },
  () => ({
    get type(): string {
      throw new Error(SECRET);
    },
  }),
  () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return proxy;
  },
  () =>
    new Proxy(
      {},
      {
        get: () => {
          throw new TypeError(SECRET);
        },
        ownKeys: () => {
          throw new TypeError(SECRET);
        },
      },
    ),
  // A proxy that has everything that it is asked for.
  () => new Proxy({}, { get: (_target, key) => (key === 'length' ? 3 : key) }),
  () => Object.freeze({ toString: null, valueOf: null }),
  (seeded) => seeded.below(1_000) - 500,
  (seeded) => 'x'.repeat(seeded.below(300)),
  (seeded) => seeded.once(2),
  (seeded) => {
    let nested: unknown = SECRET;
    for (let depth = seeded.below(50); depth > 0; depth--) nested = { todos: [nested] };
    return nested;
  },
];

/** Some value that no door expects. */
export function hostileValue(seeded: Seeded): unknown {
  return seeded.pick(HOSTILE)(seeded);
}

/** Grammar-aware: a valid value with a few places replaced, dropped, doubled or given a getter that throws. */
export function bend(valid: unknown, seeded: Seeded): unknown {
  let bent = structuredClone(valid);
  for (let times = seeded.below(3); times > 0; times--) bent = bendOnce(bent, seeded);
  return bent;
}

function bendOnce(value: unknown, seeded: Seeded): unknown {
  if (typeof value !== 'object' || value === null || seeded.once(12)) return hostileValue(seeded);
  // What was bent before may refuse to be looked at.
  try {
    const key = seeded.pick([...Object.keys(value), 'extra']);
    const held = value as Record<string, unknown>;
    switch (seeded.below(5)) {
      case 0:
        Reflect.deleteProperty(held, key);
        break;
      case 1:
        held[key] = hostileValue(seeded);
        break;
      case 2:
        Object.defineProperty(held, key, {
          enumerable: true,
          configurable: true,
          get: () => {
            throw new Error(SECRET);
          },
        });
        break;
      default:
        held[key] = bendOnce(held[key], seeded);
    }
  } catch {
    return value;
  }
  return value;
}

/** Byte-level: the JSON text of a valid value with bytes changed, lost or doubled; parsed, if it still can be. */
export function corrupt(valid: unknown, seeded: Seeded): unknown {
  const bytes = [...Buffer.from(JSON.stringify(valid))];
  for (let times = 1 + seeded.below(3); times > 0; times--) {
    const place = seeded.below(bytes.length);
    switch (seeded.below(4)) {
      case 0:
        bytes.splice(place, 1 + seeded.below(4));
        break;
      case 1:
        bytes.splice(place, 0, ...bytes.slice(place, place + seeded.below(8)));
        break;
      case 2:
        bytes.splice(place, 1, seeded.pick([...Buffer.from('0123456789[]{},:"\\ntrue')]));
        break;
      default:
        bytes.splice(place, 1, seeded.below(256));
    }
    if (bytes.length === 0) return '';
  }
  const text = Buffer.from(bytes).toString('utf8');
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** An input for a door that expects `valid`. */
export function hostileInput(valid: unknown, seeded: Seeded): unknown {
  switch (seeded.below(4)) {
    case 0:
      return hostileValue(seeded);
    case 1:
      return corrupt(valid, seeded);
    default:
      return bend(valid, seeded);
  }
}
