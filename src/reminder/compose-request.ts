import { isReminder } from './render.ts';

/** What a request may be made of; `Part` is whatever the host's requests are lists of. */
export interface RequestPieces<Part> {
  /** The function responses, in order. They may hold a reminder already. */
  readonly toolResults?: readonly Part[];
  /** What `take` gave, as a part of the host's. */
  readonly reminder?: Part | undefined;
  /** The reminder was taken with `forced`: a request without tool results carries it as well (R1). */
  readonly forced?: boolean;
  readonly stopHookReason?: Part | undefined;
  readonly guardPrompt?: Part | undefined;
  /** The user's mid-turn messages, in order. */
  readonly userMessages?: readonly Part[];
}

/**
 * Puts one model request together: function responses, reminder, hook reason, guard prompt, and the user's newest words
 * last (R2).
 *
 * Pure. It knows nothing of earlier messages, so it cannot touch one, and what was composed may come in again as
 * `toolResults`: where a reminder is, none is added (R8).
 *
 * @param pieces - the pieces that there are; see {@link RequestPieces}.
 * @param isReminderPart - how to recognise a reminder among the host's parts. Left out, a string and a part with a string
 *   `text` are recognised by their text.
 * @returns a new list of the same parts. Without tool results it has the reminder only if that is forced (R1).
 */
export function composeRequest<Part>(
  { toolResults = [], reminder, forced = false, stopHookReason, guardPrompt, userMessages = [] }: RequestPieces<Part>,
  isReminderPart: (part: Part) => boolean = hasReminderText,
): Part[] {
  const carriesReminder = (toolResults.length > 0 || forced) && !toolResults.some(isReminderPart);
  const asked = [carriesReminder ? reminder : undefined, stopHookReason, guardPrompt];
  return [...toolResults, ...asked.filter((part) => part !== undefined), ...userMessages];
}

function hasReminderText(part: unknown): boolean {
  if (typeof part === 'string') return isReminder(part);
  if (typeof part !== 'object' || part === null || !('text' in part)) return false;
  return typeof part.text === 'string' && isReminder(part.text);
}
