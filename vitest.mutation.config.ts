import { defineConfig } from 'vitest/config';
import base from './vitest.config.ts';

/**
 * The tests that judge a mutant: the unit tests of what is mutated. Thousands of mutants have to be judged, so processes,
 * explorations and long searches are left out, and properties are tried with fewer examples.
 */
export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: [
      'test/step/**/*.test.ts',
      'test/guard/**/*.test.ts',
      'test/reminder/**/*.test.ts',
      'test/background.test.ts',
      'test/config.test.ts',
      'test/held-turns.test.ts',
      'test/prompts.test.ts',
      'test/todo-items.test.ts',
      'test/todo-result.test.ts',
    ],
    setupFiles: ['test/fewer-examples.ts'],
  },
});
