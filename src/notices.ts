import type { GuardNotice } from './decisions.ts';

/**
 * What the user reads when the guard acts (N3) or gives up (N4).
 *
 * @param notice - from a decision, as it is.
 * @returns one line of plain text that holds numbers and nothing of the list (T4).
 */
export function noticeText(notice: GuardNotice): string {
  const { about, attempt, maxAttempts, unfinishedCount } = notice;
  const happened =
    about === 'continuation' ? `${attempt}/${maxAttempts} started` : `stopped after ${maxAttempts} attempts`;
  return `[Todo Stop Guard] Automatic continuation ${happened}; ${unfinishedCount} todo item(s) remain unfinished.`;
}
