import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** The tests that judge a mutant: those of the library alone. Processes, packages and documents are left out. */
export default mergeConfig(
  base,
  defineConfig({
    test: {
      exclude: [
        'node_modules/**',
        'test/examples/**',
        'test/package/**',
        'test/cli/**',
        'test/fuzz/**',
        'test/types/**',
        'test/transcripts/**',
        'test/readme.test.ts',
        // The exploration judges whole machines in minutes; the mutants of its own are in the tests.
        'test/model/explore.test.ts',
        'test/model/state-docs.test.ts',
        'test/model/lying-host.test.ts',
      ],
    },
  }),
);
