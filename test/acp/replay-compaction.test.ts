import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compactReplay, guardNoticeUpdate, isGuardNotice } from 'todo-stop-guard/acp';

type ChunkKind = 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk';

const chunk = (text: string, sessionUpdate: ChunkKind = 'agent_message_chunk', more: object = {}): object => ({
  sessionUpdate,
  content: { type: 'text', text },
  ...more,
});
const notice = (attempt: number): object =>
  guardNoticeUpdate({ about: 'continuation', attempt, maxAttempts: 2, unfinishedCount: 1 });
const numbered = (updates: readonly unknown[]) => updates.map((update, index) => ({ id: index + 1, update }));

describe('compactReplay', () => {
  it.each<ChunkKind>(['agent_message_chunk', 'agent_thought_chunk', 'user_message_chunk'])(
    '[N7] makes one event of neighbouring %ss, with the first id',
    (kind) => {
      expect(compactReplay(numbered([chunk('Hel', kind), chunk('lo', kind), chunk('!', kind)]))).toEqual([
        { id: 1, update: chunk('Hello!', kind) },
      ]);
    },
  );

  it('[N7] keeps kinds, messages and _meta apart', () => {
    const events = numbered([
      chunk('a'),
      chunk('b', 'agent_thought_chunk'),
      chunk('c'),
      chunk('d', 'agent_message_chunk', { messageId: 'm1' }),
      chunk('e', 'agent_message_chunk', { messageId: 'm2' }),
      chunk('f', 'agent_message_chunk', { _meta: { parentToolCallId: 't1' } }),
      chunk('g', 'agent_message_chunk', { _meta: { parentToolCallId: 't2' } }),
    ]);
    expect(compactReplay(events)).toBe(events);
  });

  it('[N7] keeps what its chunks have in common', () => {
    const more = { messageId: 'm1', _meta: { parentToolCallId: 't1' } };
    const shared = [chunk('a', 'agent_message_chunk', more), chunk('b', 'agent_message_chunk', more)];
    expect(compactReplay(numbered(shared))).toEqual([{ id: 1, update: chunk('ab', 'agent_message_chunk', more) }]);
  });

  it('[N7] keeps what is said about the text itself', () => {
    const annotated = (text: string, priority: number): object => ({
      sessionUpdate: 'agent_message_chunk',
      content: { type: 'text', text, annotations: { priority } },
    });
    expect(compactReplay(numbered([annotated('a', 1), annotated('b', 1), annotated('c', 2)]))).toStrictEqual([
      { id: 1, update: annotated('ab', 1) },
      { id: 3, update: annotated('c', 2) },
    ]);
  });

  it('[N7] keeps events apart that differ outside their update', () => {
    const events = [
      { id: 1, type: 'update', promptId: 'p1', update: chunk('a') },
      { id: 2, type: 'update', promptId: 'p1', update: chunk('b') },
      { id: 3, type: 'update', promptId: 'p2', update: chunk('c') },
    ];
    expect(compactReplay(events)).toEqual([
      { id: 1, type: 'update', promptId: 'p1', update: chunk('ab') },
      { id: 3, type: 'update', promptId: 'p2', update: chunk('c') },
    ]);
  });

  it('[N7] leaves each guard notice on its own, with its own _meta', () => {
    const events = numbered([chunk('do'), chunk('ne'), notice(1), notice(1), notice(2), chunk('I '), chunk('go on')]);
    const compacted = compactReplay(events);
    expect(compacted).toEqual([
      { id: 1, update: chunk('done') },
      { id: 3, update: notice(1) },
      { id: 4, update: notice(1) },
      { id: 5, update: notice(2) },
      { id: 6, update: chunk('I go on') },
    ]);
    expect(compacted.filter(({ update }) => isGuardNotice(update))).toHaveLength(3);
  });

  it('[N7] goes by the mark, whatever the source', () => {
    const discrete = chunk('a', 'agent_message_chunk', { _meta: { qwenDiscreteMessage: true } });
    const events = numbered([discrete, discrete]);
    expect(compactReplay(events)).toBe(events);
  });

  it('[N7] a mark that is not true is no mark', () => {
    const plain = chunk('a', 'agent_message_chunk', { _meta: { qwenDiscreteMessage: false } });
    expect(compactReplay(numbered([plain, plain]))).toHaveLength(1);
  });

  it('[N7] passes everything else through as the same object, in its place', () => {
    const events = [
      { id: 1, update: { sessionUpdate: 'tool_call', toolCallId: 't1', title: 'Read' } },
      { id: 2, update: { sessionUpdate: 'tool_call_update', toolCallId: 't1', status: 'completed' } },
      { id: 3, update: { sessionUpdate: 'plan', entries: [] } },
      { id: 4, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'image', data: '' } } },
      { id: 5, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'image', data: '' } } },
      { id: 6, update: { sessionUpdate: 'from_the_future', content: { type: 'text', text: 'a' } } },
      { id: 7, update: null },
      { id: 8, type: 'gap' },
      { id: 9, update: chunk('alone') },
      { id: 10, update: chunk('another kind', 'agent_thought_chunk') },
      { id: 11, update: chunk('a _meta that is none', 'agent_message_chunk', { _meta: 'text' }) },
    ];
    const compacted = compactReplay([...events, { id: 12, update: chunk('a') }, { id: 13, update: chunk('b') }]);
    expect(compacted).toHaveLength(events.length + 1);
    events.forEach((event, index) => {
      expect(compacted[index]).toBe(event);
    });
  });

  it('[N7] returns the same array when nothing merges', () => {
    const events = numbered([chunk('a'), notice(1), chunk('b')]);
    expect(compactReplay(events)).toBe(events);
    expect(compactReplay([])).toEqual([]);
  });

  it('[N7] does not change what it was given', () => {
    const events = numbered([chunk('a'), chunk('b')]);
    const before = structuredClone(events);
    compactReplay(events);
    expect(events).toEqual(before);
  });

  it('[N7] leaves an event alone that cannot go over the wire', () => {
    const meta: Record<string, unknown> = {};
    meta['self'] = meta;
    const events = numbered([
      chunk('a', 'agent_message_chunk', { _meta: meta }),
      chunk('b', 'agent_message_chunk', { _meta: meta }),
    ]);
    expect(compactReplay(events)).toBe(events);
  });
});

const updates = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.string().map((text) => chunk(text)) },
    { weight: 2, arbitrary: fc.string().map((text) => chunk(text, 'agent_thought_chunk')) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 2 }).map(notice) },
    { weight: 1, arbitrary: fc.constant({ sessionUpdate: 'plan', entries: [] }) },
  ),
  { maxLength: 40 },
);

interface Text {
  readonly sessionUpdate: string;
  readonly content?: { readonly text: string };
}
/** What a reader sees: the text between two changes of kind; notices and the rest one by one. */
function seen(events: readonly { readonly update: unknown }[]): string[] {
  const lines: string[] = [];
  let open = '';
  for (const { update } of events as readonly { readonly update: Text }[]) {
    const kind = isGuardNotice(update) ? `notice ${update._meta.attempt}` : update.sessionUpdate;
    const text = update.content?.text ?? '';
    if (kind === open && kind.endsWith('chunk')) lines.push((lines.pop() ?? '') + text);
    else lines.push(`${kind}: ${text}`);
    open = kind;
  }
  return lines;
}

describe('compactReplay over any turn', () => {
  it('[N7] loses no text, no notice and no order', () => {
    fc.assert(
      fc.property(updates, (all) => {
        const events = numbered(all);
        const compacted = compactReplay(events);
        expect(seen(compacted)).toEqual(seen(events));
        expect(compacted).toHaveLength(seen(events).length);
        expect(compacted.filter(({ update }) => isGuardNotice(update))).toEqual(
          events.filter(({ update }) => isGuardNotice(update)),
        );
      }),
    );
  });

  it('[N7] keeps first ids: they rise, and every one was there before', () => {
    fc.assert(
      fc.property(updates, (all) => {
        const events = numbered(all);
        const ids = compactReplay(events).map(({ id }) => id);
        expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
        expect(ids[0]).toBe(events[0]?.id);
      }),
    );
  });

  it('[N7] is idempotent', () => {
    fc.assert(
      fc.property(updates, (all) => {
        const once = compactReplay(numbered(all));
        expect(compactReplay(once)).toBe(once);
      }),
    );
  });
});
