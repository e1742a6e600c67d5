import { describe, expect, it } from 'vitest';
import { noticeText } from '../src/notices.ts';

describe('noticeText', () => {
  it('[N3] says which continuation started', () => {
    expect(noticeText({ about: 'continuation', attempt: 1, maxAttempts: 2, unfinishedCount: 3 })).toBe(
      '[Todo Stop Guard] Automatic continuation 1/2 started; 3 todo item(s) remain unfinished.',
    );
  });

  it('[N3] [B5] counts nothing for a closing send', () => {
    expect(noticeText({ about: 'continuation', attempt: 2, maxAttempts: 2, unfinishedCount: 0 })).toBe(
      '[Todo Stop Guard] Automatic continuation 2/2 started; 0 todo item(s) remain unfinished.',
    );
  });

  it('[N4] [F32] says that the attempts are spent', () => {
    expect(noticeText({ about: 'exhaustion', attempt: 2, maxAttempts: 2, unfinishedCount: 3 })).toBe(
      '[Todo Stop Guard] Automatic continuation stopped after 2 attempts; 3 todo item(s) remain unfinished.',
    );
  });

  it('[N4] uses the same words for one attempt', () => {
    expect(noticeText({ about: 'exhaustion', attempt: 1, maxAttempts: 1, unfinishedCount: 1 })).toBe(
      '[Todo Stop Guard] Automatic continuation stopped after 1 attempts; 1 todo item(s) remain unfinished.',
    );
  });
});
