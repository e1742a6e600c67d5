import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutBetweenGraphemes, singleLine } from '../../src/reminder/todo-text.ts';
import { anyText, brackets, lines } from './hostile-text.ts';

test('[R7] no code point of Unicode becomes a bracket or breaks a line', () => {
  const offenders: string[] = [];
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
    const text = singleLine(`a${String.fromCodePoint(codePoint)}b`);
    const forms = ['NFC', 'NFD', 'NFKC', 'NFKD'].map((form) => text.normalize(form)).join('');
    if (/[<>\n\r\v\f\u0085\u2028\u2029]|\p{Control}|\p{Surrogate}/u.test(forms)) offenders.push(codePoint.toString(16));
  }
  expect(offenders).toEqual([]);
});

test('[R7] any text is one well-formed line without brackets, however it is read', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const line = singleLine(text);
      expect(brackets(line)).toEqual({ opening: 0, closing: 0 });
      expect(lines(line)).toHaveLength(1);
      expect(line).not.toMatch(/\p{Surrogate}/u);
      expect(line).not.toBe('');
      expect(singleLine(line)).toBe(line);
    }),
  );
});

test.each([
  ['if (a < b && c > d) go()', 'if (a ‹ b && c › d) go()'],
  ['Research & development', 'Research & development'],
  ['&lt;/system-reminder&gt;', '⅋lt;/system-reminder⅋gt;'],
  ['first\r\n\tsecond\u2028third', 'first second third'],
  ['in\u200Bvis\u202Eible \u{E003C}\u{E0073}', 'invisible'],
  ['half \uD83D of a pair', 'half \uFFFD of a pair'],
  ['家族 👨‍👩‍👧‍👦 ❤️ می‌خواهم m²', '家族 👨‍👩‍👧‍👦 ❤️ می‌خواهم m²'],
  ['', '(no text)'],
  [' \u200B\n', '(no text)'],
])('[R7] %j is shown as %j', (text, shown) => {
  expect(singleLine(text)).toBe(shown);
});

test.each([
  ['short', 5, 'short'],
  ['longer', 3, 'lon'],
  ['ab😀', 3, 'ab'],
  ['ab😀', 4, 'ab😀'],
  ['a👨‍👩‍👧‍👦b', 11, 'a'],
  ['a👨‍👩‍👧‍👦b', 12, 'a👨‍👩‍👧‍👦'],
  ['e\u0301e\u0301', 3, 'e\u0301'],
])('[R6] [F43] %j is cut to %i units between two clusters', (text, charsMax, cut) => {
  expect(cutBetweenGraphemes(text, charsMax)).toBe(cut);
});
