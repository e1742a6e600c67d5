import { REMINDER_CHARS_MAX } from './render.ts';

/** How long a reminder may be, and how often it is repeated: each copy stays in the history (R6, R9). */
export interface ActiveTodoReminderOptions {
  /**
   * The most that a reminder may be long, in UTF-16 units, its tag and instruction included: a whole number from 500 to
   * 4,000. Default 4,000.
   */
  readonly charsMax?: number;
  /**
   * Every how many requests the reminder is repeated, counted from the last one that carried it and anew from each write:
   * a whole number from 1 to 1,000. Default 1: each tool turn.
   */
  readonly every?: number;
  /**
   * Whether the request that carries a write's own result carries the reminder too. `false` saves the copy that says
   * what the result has just said. Default `true`. Of no effect with `every` above 1, which skips that request anyway.
   */
  readonly repeatAfterWrite?: boolean;
}

/** Room for the frame and for one item to be recognised by. */
const CHARS_MIN = 500;

/** Far more than any turn has requests: a greater number is a mistake. */
const EVERY_MAX = 1_000;

const KNOWN = ['charsMax', 'every', 'repeatAfterWrite'];

/**
 * Reads the options at the door (G5).
 *
 * @throws TypeError for an unknown option, or a `repeatAfterWrite` that is not a boolean; RangeError for a number out of
 *   its range. Both name the option and say what to pass.
 */
export function readReminderOptions(options: ActiveTodoReminderOptions): Required<ActiveTodoReminderOptions> {
  const unknown = Object.keys(options).find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) throw new TypeError(`Unknown option ${unknown}: use ${KNOWN.join(', ')}.`);
  const { charsMax = REMINDER_CHARS_MAX, every = 1, repeatAfterWrite = true } = options;
  checkWholeNumber('charsMax', charsMax, CHARS_MIN, REMINDER_CHARS_MAX);
  checkWholeNumber('every', every, 1, EVERY_MAX);
  // An untyped caller may pass anything.
  if (typeof (repeatAfterWrite as unknown) !== 'boolean') {
    throw new TypeError('repeatAfterWrite must be true or false.');
  }
  return { charsMax, every, repeatAfterWrite };
}

function checkWholeNumber(name: string, value: number, min: number, max: number): void {
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new RangeError(`${name} must be a whole number from ${min} to ${max}.`);
  }
}
