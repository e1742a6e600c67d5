import { defineConfig } from 'tsup';

/** Builds the rows as the package is built: native syntax, zod bundled, peers from their packages. */
export default defineConfig({
  entry: ['bench/run.ts', 'bench/rows/*.ts'],
  outDir: 'bench/node_modules/.rows',
  format: ['esm'],
  target: 'es2022',
  platform: 'node',
  splitting: false,
  treeshake: true,
  clean: true,
  silent: true,
  skipNodeModulesBundle: true,
  noExternal: ['zod'],
});
