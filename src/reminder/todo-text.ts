/**
 * Todo text as one harmless line (R7), and its cut (R6).
 *
 * Whatever could become a tag or a line break is replaced by one other character, never by a longer escape: so there is
 * no escape that a cut could split, and none that a reader could undo.
 *
 * @module
 */

/** What a text without anything to see is shown as. */
const NO_TEXT = '(no text)';

const LONE_SURROGATE = /\p{Surrogate}/gu;

/**
 * Invisible and bidirectional characters, the tag characters that spell hidden ASCII among them. The two joiners and the
 * emoji selector stay: they shape what is visible beside them, and with no bracket left they can hide nothing.
 */
const INVISIBLE = /(?!\u200C|\u200D|\uFE0F)[\p{Default_Ignorable_Code_Point}\p{Format}]/gu;

/** Spaces, line breaks of every kind, and control characters. */
const BLANK = /[\s\p{Control}]+/gu;

/** Every character that some normal form (NFC, NFD, NFKC, NFKD) turns into an angle bracket. */
const OPENING_BRACKET = /[<\u226E\uFE64\uFF1C]/gu;
const CLOSING_BRACKET = /[>\u226F\uFE65\uFF1E]/gu;

/** An ampersand, in any form, that may begin an entity: anything but a blank or another ampersand follows. */
const ENTITY_OPENING = /[&\uFE60\uFF06](?=[^ &])/gu;

/**
 * Makes one line of a Todo's text.
 *
 * @param text - any string.
 * @returns well-formed text without line breaks, control characters, angle brackets and entities, and never empty. Its
 *   length is at most that of `text`, save for the stand-in of a blank text.
 */
export function singleLine(text: string): string {
  const line = text
    .replace(LONE_SURROGATE, '\uFFFD')
    .replace(INVISIBLE, '')
    .replace(BLANK, ' ')
    .trim()
    .replace(OPENING_BRACKET, '‹')
    .replace(CLOSING_BRACKET, '›')
    .replace(ENTITY_OPENING, '⅋');
  return line === '' ? NO_TEXT : line;
}

/**
 * The beginning of a text, cut between two grapheme clusters and so never inside a surrogate pair.
 *
 * @param charsMax - a positive number of UTF-16 units.
 * @returns at most `charsMax` units of `text`; the text itself when it is short enough.
 */
export function cutBetweenGraphemes(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  // Made when one is needed, which is seldom: an import would pay for its tables, a third of what the package costs to load.
  const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
  return text.slice(0, graphemes.segment(text).containing(charsMax)?.index);
}
