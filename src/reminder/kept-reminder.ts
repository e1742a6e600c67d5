import type { ActiveTodoReminderOptions } from './options.ts';

/** A rendered reminder, and how often it has been asked for. Of the list it keeps nothing but the text. */
export interface KeptReminder {
  readonly text: string;
  /** Requests since the last one that carried it, or since the write. */
  readonly requests: number;
  /** No request has been made since the write. */
  readonly justWritten: boolean;
}

/** A reminder right after its write. */
export function writtenReminder(text: string): KeptReminder {
  return { text, requests: 0, justWritten: true };
}

/**
 * Counts one request (R8) and says whether it carries the reminder (R9).
 *
 * @returns the reminder to keep, and whether it is due.
 */
export function countRequest(
  reminder: KeptReminder,
  { every, repeatAfterWrite }: Required<ActiveTodoReminderOptions>,
  forced: boolean,
): { readonly reminder: KeptReminder; readonly due: boolean } {
  const requests = reminder.requests + 1;
  const due = forced || (requests >= every && (repeatAfterWrite || !reminder.justWritten));
  return { reminder: { ...reminder, requests: due ? 0 : requests, justWritten: false }, due };
}
