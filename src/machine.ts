/**
 * The machine alone, for tests, for exploration, and for hosts that keep their own state. It depends on nothing.
 *
 * @module
 */
export type * from './decisions.ts';
export type * from './events.ts';
export { holds } from './holds.ts';
export { initialGuardState } from './initial-state.ts';
export type { InitialGuardOptions } from './initial-state.ts';
export type * from './reasons.ts';
export type * from './state.ts';
export { step } from './step.ts';
export { guardPrompt } from './prompts.ts';
