import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installBeside, installPacked } from '../../scripts/install-packed.ts';
import type { PackedPackage } from '../../scripts/install-packed.ts';
import manifest from '../../package.json' with { type: 'json' };
import { session } from './consumer/session.mjs';

let packed: PackedPackage;
/** What the consumers tell when they run on the sources. */
let told: readonly string[];

beforeAll(async () => {
  packed = installPacked();
  told = await session();
}, 120_000);
afterAll(() => {
  rmSync(packed.folder, { recursive: true });
});

function run(...words: readonly string[]): string {
  return execFileSync(process.execPath, words, { cwd: packed.folder, encoding: 'utf8' });
}

function shipped(path: string): string {
  return readFileSync(join(packed.folder, 'node_modules/todo-stop-guard', path), 'utf8');
}

describe('the tarball', () => {
  test('holds the build and the papers, and nothing else', () => {
    const papers = ['CHANGELOG.md', 'LICENSE', 'README.md', 'SECURITY.md', 'bench/RESULTS.md', 'package.json'];
    const docs = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter(
      (file) => /\.\w+$/.test(file) && !file.startsWith('api'),
    );
    const expected = [...papers, ...docs.map((file) => `docs/${file.replaceAll('\\', '/')}`)].sort();
    expect(packed.files.filter((file) => !file.startsWith('dist/')).sort()).toEqual(expected);
    expect(packed.files.filter((file) => file.startsWith('dist/')).sort()).toEqual(
      readdirSync('dist')
        .map((file) => `dist/${file}`)
        .sort(),
    );
  });

  test('every link between the papers leads to a paper that ships', () => {
    const links = packed.files
      .filter((file) => file.endsWith('.md'))
      .flatMap((file) =>
        [...shipped(file).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target = '']) => ({
          file,
          target: normalize(join(dirname(file), target)),
        })),
      );
    expect(links.length).toBeGreaterThan(3);
    expect(links.filter(({ target }) => !packed.files.includes(target))).toEqual([]);
  });

  test('depends on nothing, and says whose code is bundled', () => {
    expect(manifest).not.toHaveProperty('dependencies');
    expect(manifest).not.toHaveProperty('peerDependencies');
    const notices = shipped('dist/THIRD_PARTY_LICENSES.txt');
    for (const name of ['commander', 'hono', 'picocolors', 'zod'])
      expect(notices).toMatch(new RegExp(`^${name} \\d`, 'm'));
  });

  test('each entry puts its types first, and both files ship', () => {
    for (const [entry, target] of Object.entries(manifest.exports)) {
      if (typeof target === 'string') continue;
      expect(Object.keys(target), entry).toEqual(['types', 'default']);
      for (const path of Object.values(target)) expect(packed.files).toContain(normalize(path));
    }
  });

  test('the declarations and the entries import nothing but their own files, save the entry for Node', () => {
    const foreign = packed.files
      .filter((file) => /\.(?:js|d\.ts)$/.test(file))
      .flatMap((file) =>
        [...shipped(file).matchAll(/(?:from|import|import\()\s*['"]([^'"]+)['"]/g)]
          .map(([, source = '']) => `${file} ${source}`)
          .filter((pair) => !pair.includes(' ./')),
      );
    expect(foreign).toEqual(['dist/prompt-context.js node:async_hooks']);
  });
});

describe('the installed package', () => {
  test('runs as ESM', () => {
    expect(JSON.parse(run('esm.mjs'))).toEqual(told);
    expect(run('node.mjs')).toBe('prompt-1\n');
  });

  test('runs from CommonJS by require, as the same package', () => {
    expect(JSON.parse(run('cjs.cjs'))).toEqual(told);
  });

  test('runs where there is nothing of Node', async () => {
    const { outputFiles } = await build({
      absWorkingDir: packed.folder,
      stdin: { contents: `import { session } from './session.mjs'; answer(session());`, resolveDir: packed.folder },
      bundle: true,
      format: 'iife',
      platform: 'browser',
      write: false,
    });
    const answer = new Promise((resolve) => {
      runInNewContext(outputFiles[0]?.text ?? '', { answer: resolve, AbortController });
    });
    expect(await answer).toEqual(told);
  });

  test('an import of nothing costs nothing, and the machine brings no reader of untrusted values', async () => {
    const bundle = async (contents: string): Promise<string> => {
      const options = { bundle: true, format: 'esm', write: false, logLevel: 'silent' } as const;
      const { outputFiles } = await build({ ...options, stdin: { contents, resolveDir: packed.folder } });
      return outputFiles[0]?.text ?? '';
    };
    expect(await bundle(`import 'todo-stop-guard';`)).not.toContain('function');
    expect(await bundle(`export { step } from 'todo-stop-guard/machine';`)).not.toMatch(/zod/i);
  });
});

describe('the command line tool', () => {
  const TOOL = 'node_modules/todo-stop-guard/dist/cli.cjs';
  const HEADER = '{"trace":"todo-stop-guard","format":1,"library":"0.1.0","guard":{"enabled":false}}';
  const line = (kind: string): string => JSON.stringify({ event: { type: 'background_ended' }, decision: { kind } });

  function replay(...words: readonly string[]): { code: number | null; out: string; error: string } {
    const { status, stdout, stderr } = spawnSync(process.execPath, [TOOL, 'replay', ...words], {
      cwd: packed.folder,
      encoding: 'utf8',
    });
    return { code: status, out: stdout, error: stderr };
  }

  test('is found by its name', () => {
    const name = process.platform === 'win32' ? 'todo-stop-guard.cmd' : 'todo-stop-guard';
    const printed = execFileSync(join('node_modules/.bin', name), ['--version'], {
      cwd: packed.folder,
      encoding: 'utf8',
    });
    expect(printed).toBe(`${manifest.version}\n`);
  });

  test('replays a trace, as text and as a page', () => {
    writeFileSync(join(packed.folder, 'good.jsonl'), HEADER);
    expect(replay('good.jsonl')).toMatchObject({ code: 0, error: '' });
    expect(replay('good.jsonl').out).toContain('Replays to the same decisions: 0 steps.');
    expect(replay('--html', 'good.jsonl').out).toMatch(/^<!doctype html>/);
  });

  test('a trace that departs ends with 1 and says where', () => {
    writeFileSync(join(packed.folder, 'departs.jsonl'), `${HEADER}\n${line('noted')}`);
    const { code, out } = replay('departs.jsonl');
    expect(code).toBe(1);
    expect(out).toContain('Departs at line 2.');
  });

  test('what cannot be read ends with 2 and says what to do', () => {
    writeFileSync(join(packed.folder, 'other.txt'), 'hello');
    expect(replay('missing.jsonl')).toMatchObject({ code: 2, out: '' });
    expect(replay('missing.jsonl').error).toContain('Pass the path of a trace, or - for standard input.');
    expect(replay('other.txt').error).toBe(
      'other.txt is not a trace. Line 1: this is not JSON; pass a file that recordTrace has written.\n',
    );
    expect(replay()).toMatchObject({ code: 2, error: "error: missing required argument 'file'\n" });
  });
});

describe('the declarations', () => {
  /** The oldest TypeScript that has the resolution `bundler`. */
  const OLDEST = '5.0.4';

  beforeAll(() => {
    installBeside(packed.folder, `typescript@${OLDEST}`);
  }, 120_000);

  function compile(age: string, file: string, module: string, moduleResolution: string): string {
    const compiler = join(age === 'oldest' ? packed.folder : process.cwd(), 'node_modules/typescript/bin/tsc');
    const compilerOptions = {
      ...{ module, moduleResolution, strict: true, exactOptionalPropertyTypes: true, noEmit: true },
      ...{ target: 'es2022', lib: ['es2022', 'dom'], types: [], skipDefaultLibCheck: true },
    };
    const project = `tsconfig.${age}.${moduleResolution}.json`;
    writeFileSync(join(packed.folder, project), JSON.stringify({ compilerOptions, files: [file] }));
    return spawnSync(process.execPath, [compiler, '--project', project], { cwd: packed.folder, encoding: 'utf8' })
      .stdout;
  }

  test.each([
    ['oldest', 'nodenext', 'nodenext'],
    ['oldest', 'esnext', 'bundler'],
    ['newest', 'nodenext', 'nodenext'],
    ['newest', 'esnext', 'bundler'],
  ])(
    'the %s TypeScript takes them, module %s, resolution %s',
    (age, module, moduleResolution) => {
      expect(compile(age, 'consumer.ts', module, moduleResolution)).toBe('');
    },
    90_000,
  );
});
