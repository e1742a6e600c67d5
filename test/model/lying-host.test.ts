import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { playSession, session } from './lying-host.ts';

test('[B1] [H1] [O2] [O7] [N5] [T6] whatever a host does in a whole session, the guard keeps its bounds', async () => {
  let guardStreams = 0;
  await fc.assert(
    fc.asyncProperty(session, fc.integer({ min: 1, max: 3 }), async (happenings, maxAttempts) => {
      const findings = await playSession(happenings, maxAttempts);
      guardStreams += findings.guardStreams;
      expect(findings.wrongs).toEqual([]);
    }),
    { numRuns: 300 },
  );
  // Sessions in which the guard never goes on would show nothing.
  expect(guardStreams).toBeGreaterThan(100);
});

test('a guard with a stream too many is found out', async () => {
  const found = await fc.check(
    fc.asyncProperty(session, async (happenings) => (await playSession(happenings, 1, 2)).wrongs.length === 0),
    { numRuns: 300, endOnFailure: true },
  );
  expect(found.failed).toBe(true);
});
