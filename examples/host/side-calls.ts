import { isGuardPrompt } from 'todo-stop-guard';
import type { HistoryEntry } from './history.ts';
import { toMessages } from './history.ts';
import type { Model, Usage } from './model.ts';
import { FOLLOW_UP_SYSTEM, SUMMARY_SYSTEM } from './prompts.ts';

/** Entries that a suggestion is made from. */
const FOLLOW_UP_ENTRIES = 10;

/** What a small call of the host's own came to. */
export interface SideAnswer {
  readonly text: string;
  readonly usage: Usage | null;
}

/**
 * Sums a history up.
 *
 * @throws whatever the model throws, and an Error when the summary is empty or cut off.
 */
export async function summarise(
  model: Model,
  entries: readonly HistoryEntry[],
  signal: AbortSignal,
): Promise<SideAnswer> {
  const summary = await ask(model, SUMMARY_SYSTEM, entries, signal);
  return { ...summary, text: `Summary of the conversation so far:\n${summary.text}` };
}

/** Suggests what the user might say next. Throws as {@link summarise} does. */
export function suggestFollowUp(
  model: Model,
  entries: readonly HistoryEntry[],
  signal: AbortSignal,
): Promise<SideAnswer> {
  return ask(model, FOLLOW_UP_SYSTEM, entries.slice(-FOLLOW_UP_ENTRIES), signal);
}

async function ask(
  model: Model,
  system: string,
  entries: readonly HistoryEntry[],
  signal: AbortSignal,
): Promise<SideAnswer> {
  const messages = toMessages(system, [{ role: 'user', text: transcript(entries) }]);
  const stream = await model.open({ messages }, signal);
  const { text, finishReason, usage } = await stream.read(() => undefined);
  if (finishReason !== 'stop' || text.trim() === '') {
    throw new Error(`The model did not finish (${finishReason}).`);
  }
  return { text: text.trim(), usage };
}

/** The conversation as text. The guard's prompts are no part of it: they would become the user's words (F45, N6). */
function transcript(entries: readonly HistoryEntry[]): string {
  return entries
    .flatMap((entry) => {
      switch (entry.role) {
        case 'user':
          return isGuardPrompt(entry.text) ? [] : [`User: ${entry.text}`];
        case 'assistant':
          return [
            ...(entry.text === '' ? [] : [`Agent: ${entry.text}`]),
            ...entry.toolCalls.map(({ name, arguments: text }) => `Agent called ${name}: ${text}`),
          ];
        case 'tool':
          return [`Result: ${entry.text}`];
      }
    })
    .join('\n\n');
}
