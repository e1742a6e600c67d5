import * as z from 'zod/mini';
import { readUntrusted } from '../read-untrusted.ts';

/** An event of a replay. Events without an `update` are a host's own. */
export interface ReplayEvent {
  /** Its place in the event ring. */
  readonly id: number | string;
  /** The `update` of a `session/update`. */
  readonly update?: unknown;
}

/** A streamed piece of text. Everything it carries beside its text is kept. */
const TextChunk = z.looseObject({
  sessionUpdate: z.enum(['agent_message_chunk', 'agent_thought_chunk', 'user_message_chunk']),
  content: z.looseObject({ type: z.literal('text'), text: z.string() }),
  _meta: z.nullish(z.looseObject({ qwenDiscreteMessage: z.optional(z.unknown()) })),
});

/** A chunk that may merge with its neighbours. */
interface Mergeable<Replayed> {
  readonly text: string;
  /** Everything but id and text, as it goes over the wire. Neighbours with the same frame are one message. */
  readonly frame: string;
  /** The same event with another text. */
  readonly withText: (text: string) => Replayed;
}

/** Neighbours that become one event. */
interface Run<Replayed> {
  readonly first: Replayed;
  /** The first one as a chunk; `null` when it merges with nothing. */
  readonly chunk: Mergeable<Replayed> | null;
  /** All of their text. */
  text: string;
}

/**
 * Compacts the events of a turn that has ended, for a replay (N7): neighbouring text chunks that differ in nothing but
 * id and text become one event with the first one's id and all of their text.
 *
 * An event whose update is marked `_meta.qwenDiscreteMessage: true`, as guard notices are, is a message of its own:
 * it merges with nothing and keeps its `_meta`. Every other event passes through as the same object, in its place.
 *
 * @param events - JSON values in the order of their ids, of ended turns only: a live turn is replayed in full.
 * @returns the same array when nothing merges. Compacting twice changes nothing more.
 */
export function compactReplay<Replayed extends ReplayEvent>(events: readonly Replayed[]): readonly Replayed[] {
  const runs: Run<Replayed>[] = [];
  for (const event of events) {
    const chunk = readMergeable(event);
    const last = runs.at(-1);
    if (chunk && chunk.frame === last?.chunk?.frame) last.text += chunk.text;
    else runs.push({ first: event, chunk, text: chunk?.text ?? '' });
  }
  return runs.length === events.length ? events : runs.map(compactRun);
}

function compactRun<Replayed>({ first, chunk, text }: Run<Replayed>): Replayed {
  return chunk === null || chunk.text === text ? first : chunk.withText(text);
}

function readMergeable<Replayed extends ReplayEvent>(event: Replayed): Mergeable<Replayed> | null {
  const update = readUntrusted(TextChunk, event.update);
  if (!update.ok || update.value._meta?.qwenDiscreteMessage === true) return null;

  const { content } = update.value;
  const withText = (text: string): Replayed => ({
    ...event,
    update: { ...update.value, content: { ...content, text } },
  });
  try {
    return { text: content.text, frame: JSON.stringify({ ...withText(''), id: null }), withText };
  } catch {
    return null; // what cannot go over the wire (a cycle, endless nesting) is not ours to merge
  }
}
