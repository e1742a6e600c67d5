import { defineConfig } from 'tsup';

export default defineConfig([
  {
    entry: {
      index: 'src/index.ts',
      machine: 'src/machine.ts',
      acp: 'src/acp/index.ts',
      'prompt-context': 'src/prompt-context.ts',
      dialects: 'src/dialects/index.ts',
      trace: 'src/trace/index.ts',
    },
    format: ['esm'],
    target: 'es2022',
    platform: 'neutral',
    dts: true,
    // The other build writes beside this one.
    clean: ['!cli.cjs'],
    // Each entry is one file: its import is a third of the time that it takes to find and load shared parts.
    splitting: false,
    treeshake: true,
    // What is used of zod is bundled: loading the whole package costs a process about a hundred milliseconds.
    noExternal: ['zod'],
    external: [/^node:/],
    // Deno finds the modules of Node by their whole names only.
    removeNodeProtocol: false,
  },
  {
    // The command line tool, whose libraries come with it. CommonJS, as they are.
    entry: { cli: 'src/cli/main.ts' },
    format: ['cjs'],
    target: 'node20',
    platform: 'node',
    treeshake: true,
    noExternal: [/./],
  },
]);
