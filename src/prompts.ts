/**
 * What the guard says to the model, and how to recognise it again (N1, N2, N6).
 *
 * @module
 */

const OPENING = '[Todo Stop Guard] ';
const DEMAND =
  ' todo item(s) are still pending or in progress. Continue executing the current task now. Do not ask the user whether to continue. If progress requires user input, use the structured question or permission flow. If progress depends on external state, report the blocker explicitly.';
const LAST_CALL =
  ' This is the final automatic continuation. Before ending, either complete/update the todos or report the completed progress and the exact blocker.';

/**
 * The continuation prompt (N1, N2).
 *
 * @param unfinishedCount - how many items are unfinished: a positive integer.
 * @param isLast - whether this is the last continuation of the stage; it then asks for a closing report (N2).
 * @returns the prompt: plain text that holds the count and nothing of the list (T4).
 */
export function guardPrompt(unfinishedCount: number, isLast: boolean): string {
  return `${OPENING}${unfinishedCount}${DEMAND}${isLast ? LAST_CALL : ''}`;
}

/**
 * Whether a text is a guard prompt, so that a host can strip it from summaries, titles and unsent history (N6).
 *
 * @param text - one text part of a message. The guard prompt is a part of its own: text that holds more than the
 *   prompt, less than it, or a count that the guard would write otherwise, is somebody else's and left alone.
 * @returns `true` for exactly what {@link guardPrompt} makes of a positive safe integer; `false` for all else.
 */
export function isGuardPrompt(text: string): boolean {
  // Reading the count and writing the prompt anew cannot drift away from what is sent.
  const count = parseInt(text.slice(OPENING.length), 10);
  return (
    count > 0 &&
    Number.isSafeInteger(count) &&
    (text === guardPrompt(count, false) || text === guardPrompt(count, true))
  );
}
