import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { composeRequest } from 'todo-stop-guard';
import type { RequestPieces } from 'todo-stop-guard';
import type { ToolCall } from './answer-chunk.ts';

/** A message of the history, before it is put into a provider's form. */
export type HistoryEntry =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly toolCalls: readonly ToolCall[] }
  | {
      readonly role: 'tool';
      readonly callId: string;
      readonly text: string;
      /** The reminder that this message carries, after its own text. */
      readonly reminder?: string;
    };

/** The result of a tool call, as the model will read it. */
export interface ToolOutput {
  readonly role: 'tool';
  readonly callId: string;
  readonly text: string;
}

/**
 * What a request adds to the history, in the order of R2. The reminder becomes a part of the last tool message: a
 * message of its own would make some models drop earlier reasoning (F41).
 */
export function newEntries(pieces: {
  readonly toolResults: readonly ToolOutput[];
  readonly reminder?: string | undefined;
  readonly stopHookReason?: string | null | undefined;
  readonly guardPrompt?: string | undefined;
  readonly userTexts: readonly string[];
}): readonly HistoryEntry[] {
  const request: RequestPieces<HistoryEntry> = {
    toolResults: pieces.toolResults,
    reminder: userEntry(pieces.reminder),
    stopHookReason: userEntry(pieces.stopHookReason),
    guardPrompt: userEntry(pieces.guardPrompt),
    userMessages: pieces.userTexts.map((text) => ({ role: 'user', text })),
  };
  const entries = composeRequest(request);
  const { reminder } = request;
  const last = pieces.toolResults.at(-1);
  if (reminder === undefined || last === undefined) return entries;
  return entries.flatMap((entry) => {
    if (entry === reminder) return [];
    return entry === last ? [{ ...last, reminder: reminder.text }] : [entry];
  });
}

function userEntry(text: string | null | undefined): HistoryEntry | undefined {
  return text == null ? undefined : { role: 'user', text };
}

/** The entries as an OpenAI-compatible endpoint takes them. The same entries always give the same messages (F40). */
export function toMessages(system: string, entries: readonly HistoryEntry[]): readonly ChatCompletionMessageParam[] {
  return [{ role: 'system', content: system }, ...entries.map(toMessage)];
}

function toMessage(entry: HistoryEntry): ChatCompletionMessageParam {
  switch (entry.role) {
    case 'user':
      return { role: 'user', content: entry.text };
    case 'assistant':
      return {
        role: 'assistant',
        content: entry.text,
        ...(entry.toolCalls.length > 0 && {
          tool_calls: entry.toolCalls.map(({ id, name, arguments: text }) => ({
            id,
            type: 'function',
            function: { name, arguments: text },
          })),
        }),
      };
    case 'tool':
      // One string: many compatible servers take no list of parts in a tool message.
      return {
        role: 'tool',
        tool_call_id: entry.callId,
        content: entry.reminder === undefined ? entry.text : `${entry.text}\n\n${entry.reminder}`,
      };
  }
}
