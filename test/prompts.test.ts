import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guardPrompt, isGuardPrompt } from '../src/prompts.ts';

const FIRST =
  '[Todo Stop Guard] 3 todo item(s) are still pending or in progress. Continue executing the current task now. Do not ask the user whether to continue. If progress requires user input, use the structured question or permission flow. If progress depends on external state, report the blocker explicitly.';
const LAST =
  FIRST +
  ' This is the final automatic continuation. Before ending, either complete/update the todos or report the completed progress and the exact blocker.';

const counts = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });

describe('guardPrompt', () => {
  it('[N1] is exactly the continuation prompt', () => {
    expect(guardPrompt(3, false)).toBe(FIRST);
  });

  it('[N2] adds the last call after one space', () => {
    expect(guardPrompt(3, true)).toBe(LAST);
  });
});

describe('isGuardPrompt', () => {
  it('[N6] [F45] recognises every prompt that the guard writes', () => {
    fc.assert(
      fc.property(counts, fc.boolean(), (count, isLast) => {
        expect(isGuardPrompt(guardPrompt(count, isLast))).toBe(true);
      }),
    );
  });

  it('[N6] [F45] strips the guard from a history and leaves the user alone', () => {
    const history = ['Fix the build.', FIRST, 'Why did you go on?', `He wrote: ${FIRST}`, LAST];
    expect(history.filter((text) => !isGuardPrompt(text))).toEqual([
      'Fix the build.',
      'Why did you go on?',
      `He wrote: ${FIRST}`,
    ]);
  });

  const withCount = (count: string): string => FIRST.replace('3', count);
  it.each([
    ['no text', ''],
    ['the mark alone', '[Todo Stop Guard]'],
    ['another word for the mark', FIRST.replace('Guard', 'guard')],
    ['a leading space', ` ${FIRST}`],
    ['a trailing space', `${FIRST} `],
    ['a trailing line break', `${FIRST}\n`],
    ['more text', `${FIRST} Thanks.`],
    ['text after the last call', `${LAST} Thanks.`],
    ['a prompt that is cut', FIRST.slice(0, -1)],
    ['a last call that is cut', LAST.slice(0, -1)],
    ['the last call twice', LAST + LAST.slice(FIRST.length)],
    ['no count', withCount('')],
    ['no items', withCount('0')],
    ['a negative count', withCount('-3')],
    ['a signed count', withCount('+3')],
    ['a leading zero', withCount('03')],
    ['a space before the count', withCount(' 3')],
    ['a fraction', withCount('3.0')],
    ['an exponent', withCount('3e0')],
    ['a hexadecimal count', withCount('0x3')],
    ['a count in other digits', withCount('٣')],
    ['a count that is no number', withCount('NaN')],
    ['an infinite count', withCount('Infinity')],
    ['a count past the safe integers', withCount('9007199254740992')],
    ['a count that is rounded', withCount('9007199254740993')],
    ['a count in powers of ten', withCount('1e+21')],
  ])('[N6] leaves %s alone', (_name, text) => {
    expect(isGuardPrompt(text)).toBe(false);
  });

  it('[N6] leaves every text alone that differs by one character', () => {
    fc.assert(
      fc.property(fc.boolean(), fc.nat(LAST.length - 1), fc.string(), (isLast, at, other) => {
        const prompt = guardPrompt(3, isLast);
        const changed = prompt.slice(0, at) + other + prompt.slice(at + 1);
        const written = /^\[Todo Stop Guard\] ([1-9]\d*) /.exec(changed)?.[1];
        const isOurs =
          written !== undefined &&
          [guardPrompt(Number(written), false), guardPrompt(Number(written), true)].includes(changed);
        expect(isGuardPrompt(changed)).toBe(isOurs);
      }),
    );
  });
});
