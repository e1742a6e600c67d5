import { EventSourceParserStream } from 'eventsource-parser/stream';
import * as z from 'zod';

/** An event as a client reads it. */
const ReadEvent = z.looseObject({
  type: z.string(),
  promptId: z.string().optional(),
  requestId: z.string().optional(),
  stopReason: z.string().optional(),
  error: z.string().optional(),
  through: z.int().optional(),
  update: z
    .looseObject({
      sessionUpdate: z.string().optional(),
      content: z.unknown().optional(),
      _meta: z.record(z.string(), z.unknown()).nullish(),
    })
    .optional(),
});
export type ReadEvent = z.output<typeof ReadEvent> & { readonly id: number };

const TextBlock = z.object({ type: z.literal('text'), text: z.string() });

/**
 * Reads the events of a daemon's session, as they come.
 *
 * @throws ZodError for one that does not fit; otherwise what the stream throws.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ReadEvent, void, void> {
  const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  for await (const { id, data } of events) {
    yield { ...ReadEvent.parse(JSON.parse(data)), id: z.coerce.number().int().parse(id) };
  }
}

/** The text of a text block. */
export function textIn(content: unknown): string {
  return TextBlock.parse(content).text;
}
