import { defineConfig } from 'tsup';

export default defineConfig({
  entry: {
    index: 'src/index.ts',
    machine: 'src/machine.ts',
    acp: 'src/acp/index.ts',
    'prompt-context': 'src/prompt-context.ts',
  },
  format: ['esm'],
  target: 'es2022',
  platform: 'neutral',
  dts: true,
  clean: true,
  splitting: true,
  treeshake: true,
  // What is used of zod is bundled: loading the whole package costs a process about a hundred milliseconds.
  noExternal: ['zod'],
  external: [/^node:/],
});
