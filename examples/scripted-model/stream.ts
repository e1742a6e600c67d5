import type { SSEStreamingApi } from 'hono/streaming';
import type { ChatRequest } from './request.ts';
import type { ScriptedResponse } from './script.ts';

/** How a stream got to its end. */
export type StreamEnd = 'complete' | 'broken';

/**
 * Plays one response as the pieces of an OpenAI-compatible stream: words, tool calls with their arguments in two
 * pieces, the finish reason and, when it was asked for, the usage.
 *
 * @param paused - awaited after the first piece, so that a test can act while the stream is open.
 * @returns `broken` when the script wants the connection to die here.
 */
export async function playStream(
  stream: SSEStreamingApi,
  { model, stream_options }: ChatRequest,
  response: ScriptedResponse,
  callId: () => string,
  paused: () => Promise<void>,
): Promise<StreamEnd> {
  const head = { id: callId(), object: 'chat.completion.chunk', created: 0, model };
  const write = (chunk: object): Promise<void> => stream.writeSSE({ data: JSON.stringify({ ...head, ...chunk }) });
  const delta = (content: object, finishReason: string | null = null): Promise<void> =>
    write({ choices: [{ index: 0, delta: content, finish_reason: finishReason }] });

  await delta({ role: 'assistant', content: '' });
  await paused();
  for (const word of response.text.match(/\s*\S+|\s+$/g) ?? []) await delta({ content: word });
  if (response.breaks) return 'broken';

  for (const [index, call] of response.tool_calls.entries()) {
    const text = argumentsText(call.arguments);
    const middle = Math.floor(text.length / 2);
    const head = { index, id: call.id ?? callId(), type: 'function' };
    await delta({
      tool_calls: [{ ...head, function: { name: call.name, arguments: text.slice(0, middle) } }],
    });
    await delta({ tool_calls: [{ index, function: { arguments: text.slice(middle) } }] });
  }
  await delta({}, finishReason(response));
  if (stream_options?.include_usage === true) await write({ choices: [], usage: usageOf(response) });
  await stream.writeSSE({ data: '[DONE]' });
  return 'complete';
}

/** The same response as one JSON body, for a client that does not stream. */
export function wholeAnswer({ model }: ChatRequest, response: ScriptedResponse, callId: () => string): object {
  return {
    id: callId(),
    object: 'chat.completion',
    created: 0,
    model,
    choices: [
      {
        index: 0,
        finish_reason: finishReason(response),
        message: {
          role: 'assistant',
          content: response.text,
          ...(response.tool_calls.length > 0 && {
            tool_calls: response.tool_calls.map((call) => ({
              id: call.id ?? callId(),
              type: 'function',
              function: { name: call.name, arguments: argumentsText(call.arguments) },
            })),
          }),
        },
      },
    ],
    usage: usageOf(response),
  };
}

function argumentsText(value: string | Record<string, unknown>): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function finishReason({ finish_reason, tool_calls }: ScriptedResponse): string {
  return finish_reason ?? (tool_calls.length > 0 ? 'tool_calls' : 'stop');
}

function usageOf({ usage }: ScriptedResponse): object {
  return { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens };
}
