import * as z from 'zod';

const TextPart = z.looseObject({ text: z.string().optional() });

const ChatMessage = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(TextPart)]).nullish(),
  tool_calls: z
    .array(z.looseObject({ id: z.string(), function: z.looseObject({ name: z.string(), arguments: z.string() }) }))
    .optional(),
  tool_call_id: z.string().optional(),
});

/** The body of a request for a chat completion, as far as the scripted model reads it. Everything else is kept. */
export const ChatRequest = z.looseObject({
  model: z.string(),
  messages: z.array(ChatMessage).min(1),
  stream: z.boolean().default(false),
  stream_options: z.looseObject({ include_usage: z.boolean().default(false) }).optional(),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }) })).optional(),
});

/** A request as the model got it. */
export type ChatRequest = z.output<typeof ChatRequest>;
/** One of its messages. */
export type ChatMessage = z.output<typeof ChatMessage>;

/** The whole text of a message, whichever form its content has. */
export function textOf(message: ChatMessage | undefined): string {
  const content = message?.content ?? '';
  return typeof content === 'string' ? content : content.map((part) => part.text ?? '').join('');
}
