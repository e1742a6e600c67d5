import fc from 'fast-check';

/** For the judging of mutants: see vitest.mutation.config.ts. */
fc.configureGlobal({ numRuns: 30 });
