import { beforeAll, describe, expect, test } from 'vitest';
import { initialGuardState } from '../../src/initial-state.ts';
import { step } from '../../src/step.ts';
import { EVERY_EVENT } from './every-event.ts';
import { explore } from './explore.ts';
import type { Exploration } from './explore.ts';
import { INVARIANTS } from './invariants.ts';
import { answersInDialogueMax, eventsUntilRelease } from './liveness.ts';
import { MUTANTS, NEVER_RELEASES, NEVER_SENDS } from './mutants.ts';

/** look, hooks, look, prepare, look, send: each is answered once. */
const ANSWERS_IN_DIALOGUE = 6;
/** The turn settles, its background work ends, the chain is given up, and the prompt that waited is dropped. */
const EVENTS_UNTIL_RELEASE = 4;

const BUDGETS = [1, 2, 3] as const;

describe.each(BUDGETS)('the machine with a budget of %i, explored whole', (maxAttempts) => {
  let explored: Exploration;
  beforeAll(() => {
    explored = explore(step, maxAttempts);
  }, 120_000);

  test.each(INVARIANTS.map(({ rules, name }) => [rules.replaceAll(', ', '] ['), name]))('[%s] %s', (_rules, name) => {
    expect(explored.violations.find(({ invariant }) => invariant === name)).toBeUndefined();
  });

  test(`[O7] no dialogue takes more than ${ANSWERS_IN_DIALOGUE} answers, whatever the host answers`, () => {
    expect(answersInDialogueMax(explored)).toBe(ANSWERS_IN_DIALOGUE);
  });

  test(`[Q2] [C6] whatever holds automatic turns is over within ${EVENTS_UNTIL_RELEASE} events that are bound to come`, () => {
    expect(eventsUntilRelease(explored)).toBe(EVENTS_UNTIL_RELEASE);
  });
});

describe('the exploration can fail', () => {
  test('there is a mutant for every invariant', () => {
    expect(MUTANTS.map(({ invariant }) => invariant).sort()).toEqual(INVARIANTS.map(({ name }) => name).sort());
  });

  test.each(MUTANTS)('a machine that $fault breaks: $invariant', ({ invariant, machine }) => {
    const broken = INVARIANTS.filter(({ name }) => name === invariant);
    const { violations } = explore(machine, 2, { invariants: broken, untilViolated: true });
    expect(violations.map((violation) => violation.invariant)).toContain(invariant);
  });

  test('a machine that never drops a queued prompt never releases', () => {
    expect(eventsUntilRelease(explore(NEVER_RELEASES, 1))).toBe(Infinity);
  });

  test('a machine that prepares instead of sending has a dialogue without end', () => {
    expect(answersInDialogueMax(explore(NEVER_SENDS, 1))).toBe(Infinity);
  });
});

describe('a guard that is off', () => {
  const off = initialGuardState({ enabled: false });

  test.each(EVERY_EVENT.map((event) => [JSON.stringify(event), event] as const))(
    '[G3] is inert: %s',
    (_name, event) => {
      expect(step(off, event).state).toBe(off);
    },
  );

  test('[G3] admits every turn, runs the hooks at every stop, and lets every tool loop and every hook go on', () => {
    const kinds = new Map(EVERY_EVENT.map((event) => [event.type, step(off, event).decision.kind]));
    expect([...kinds].filter(([, kind]) => kind !== 'ignored')).toEqual([
      ['model_stopped', 'run_stop_hooks'],
      ['tools_finished', 'continue'],
      ['stop_hooks_finished', 'continue'],
      ['stream_opened', 'noted'],
      ['prompt_started', 'admit'],
      ['automatic_turn_requested', 'admit'],
    ]);
  });
});
