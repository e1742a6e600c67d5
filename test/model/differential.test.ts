import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { GuardEvent } from '../../src/events.ts';
import { step } from '../../src/step.ts';
import { findDisagreement } from './differential.ts';
import { move } from './moves.ts';

const RUNS = 1_500;

const sequence = fc.tuple(
  fc.integer({ min: 1, max: 3 }),
  fc.boolean(),
  fc.array(move, { minLength: 20, maxLength: 150, size: 'max' }),
);

describe('the machine and the naive guard', () => {
  test('agree about every decision, status, count and hold', () => {
    fc.assert(
      fc.property(sequence, (run) => {
        expect(findDisagreement(...run)).toBeNull();
      }),
      { numRuns: RUNS },
    );
  });

  test('disagree when the machine forgets one rule', () => {
    // A stop hook's reason left out of a shared send is among the rarest things that a sequence can reach.
    const forgetful: typeof step = (state, event: GuardEvent) => {
      const answered = step(state, event);
      const { decision } = answered;
      return decision.kind === 'send' && decision.carries.includes('stop_hook_reason')
        ? { ...answered, decision: { ...decision, carries: ['guard_prompt'] } }
        : answered;
    };
    const found = fc.check(
      fc.property(sequence, (run) => findDisagreement(...run, forgetful) === null),
      { numRuns: RUNS, endOnFailure: true },
    );
    expect(found.failed).toBe(true);
  });
});
