/**
 * Checks an id that the host passes: an empty one would belong to everybody, so it belongs to nobody (T6).
 *
 * @throws TypeError that names the parameter, for an id that is empty or not a string.
 */
export function checkPromptId(parameter: string, id: string): void {
  // An untyped caller may pass anything.
  if (typeof (id as unknown) !== 'string' || id === '') {
    throw new TypeError(`${parameter} must be a string that is not empty: pass the id of a prompt.`);
  }
}
