import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

export default defineConfig({
  resolve: {
    alias: [
      { find: /^todo-stop-guard$/, replacement: source('index.ts') },
      { find: /^todo-stop-guard\/machine$/, replacement: source('machine.ts') },
      { find: /^todo-stop-guard\/acp$/, replacement: source('acp/index.ts') },
      { find: /^todo-stop-guard\/dialects$/, replacement: source('dialects/index.ts') },
      { find: /^todo-stop-guard\/trace$/, replacement: source('trace/index.ts') },
      { find: /^todo-stop-guard\/prompt-context$/, replacement: source('prompt-context.ts') },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    // End-to-end tests start real processes on machines that may have two cores only.
    testTimeout: 30_000,
    coverage: {
      provider: 'v8',
      include: ['src/**'],
      // The command line tool is tested as it ships: a bundle, in processes of its own.
      exclude: ['src/cli/**'],
      reporter: ['text-summary', 'json'],
      thresholds: { statements: 100, branches: 100 },
    },
  },
});
