/**
 * Cuts that never split a surrogate pair: a provider refuses half of one, and would refuse every later request of the
 * session too (F43).
 *
 * @module
 */

/** At most `charsMax` UTF-16 units of the beginning. */
export function headOf(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : text.slice(0, charsMax).replace(/[\uD800-\uDBFF]$/, '');
}

/** At most `charsMax` UTF-16 units of the end. */
export function tailOf(text: string, charsMax: number): string {
  return text.length <= charsMax ? text : text.slice(-charsMax).replace(/^[\uDC00-\uDFFF]/, '');
}
