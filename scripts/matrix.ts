/**
 * Runs the packed package on every runtime and compiler that the registry has and this machine can run, and prints what
 * ran. Fails when something ran and failed; what is not available is only said. Needs the network.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { installBeside, installPacked } from './install-packed.ts';

interface Runtime {
  /** As it is called in the table. */
  readonly name: string;
  /** What is installed from the registry; it brings a command of the same name. */
  readonly install: string;
  readonly command: string;
  /** What stands before the file. */
  readonly words: readonly string[];
}

const RUNTIMES: readonly Runtime[] = [
  ...[20, 22, 24, 26].map((major) => ({
    name: `Node ${major}`,
    install: major === 20 ? 'node@20.19.5' : `node@${major}`,
    command: 'node',
    words: [],
  })),
  { name: 'Bun', install: 'bun', command: 'bun', words: [] },
  { name: 'Deno', install: 'deno', command: 'deno', words: ['run', '--no-lock', '--allow-all'] },
];
/** The oldest TypeScript that can read the declarations at all, and the newest there is. */
const COMPILERS = [
  { name: 'TypeScript, oldest', version: '4.7.4' },
  { name: 'TypeScript, newest', version: 'latest' },
];
const BROWSERS = ['chromium', 'chromium-browser', 'google-chrome'];
const CONSUMERS = ['esm.mjs', 'cjs.cjs', 'node.mjs'];

interface Row {
  readonly name: string;
  readonly version: string;
  readonly ran: string;
  readonly passed: boolean | null;
}

function attempt(command: string, words: readonly string[], cwd: string): { passed: boolean; output: string } {
  try {
    const output = execFileSync(command, words, {
      cwd,
      encoding: 'utf8',
      timeout: 300_000,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { passed: true, output: output.trim() };
  } catch (error) {
    return { passed: false, output: error instanceof Error ? error.message : String(error) };
  }
}

const { folder } = installPacked();
const expected = CONSUMERS.map((file) => attempt(process.execPath, [file], folder));
const rows: Row[] = [];

function runtimeRow({ name, install, command, words }: Runtime): Row {
  const home = mkdtempSync(join(tmpdir(), 'runtime-'));
  try {
    writeFileSync(join(home, 'package.json'), '{ "private": true }');
    try {
      installBeside(home, install);
    } catch {
      return { name, version: '', ran: `not available: ${install} cannot be installed`, passed: null };
    }
    const binary = join(home, 'node_modules/.bin', command);
    const version = attempt(binary, ['--version'], home);
    if (!version.passed) return { name, version: '', ran: 'not available: it does not start here', passed: null };
    const failed = CONSUMERS.filter((file, index) => {
      const { passed, output } = attempt(binary, [...words, file], folder);
      const same = passed && output === expected[index]?.output;
      if (!same) console.error(`${name}, ${file}:\n${output}`);
      return !same;
    });
    const [, number = ''] = /(\d+\.\d+\.\d+)/.exec(version.output) ?? [];
    return { name, version: number, ran: CONSUMERS.join(', '), passed: failed.length === 0 };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

function compilerRow({ name, version }: (typeof COMPILERS)[number]): Row {
  try {
    installBeside(folder, `typescript@${version}`);
  } catch {
    return { name, version, ran: 'not available: it cannot be installed', passed: null };
  }
  const compilerOptions = {
    ...{ module: 'nodenext', moduleResolution: 'nodenext', strict: true, noEmit: true },
    ...{ target: 'es2022', lib: ['es2022', 'dom'], types: [] },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
  const compiler = join(folder, 'node_modules/.bin/tsc');
  const { passed, output } = attempt(compiler, ['--project', '.'], folder);
  if (!passed) console.error(`${name}:\n${output}`);
  const [, number = ''] = /(\d+\.\d+\.\d+)/.exec(attempt(compiler, ['--version'], folder).output) ?? [];
  return { name, version: number, ran: 'consumer.ts, nodenext', passed };
}

async function browserRow(): Promise<Row> {
  const browser = BROWSERS.map((command) => ({ command, version: attempt(command, ['--version'], folder) })).find(
    ({ version }) => version.passed,
  );
  if (browser === undefined) {
    return {
      name: 'Chromium',
      version: '',
      ran: `not available: none of ${BROWSERS.join(', ')} is found`,
      passed: null,
    };
  }
  await build({
    absWorkingDir: folder,
    stdin: {
      contents: `import { session } from './session.mjs';
        session().then((told) => { document.body.textContent = JSON.stringify(told); });`,
      resolveDir: folder,
    },
    bundle: true,
    platform: 'browser',
    outfile: join(folder, 'bundle.js'),
    logLevel: 'error',
  });
  writeFileSync(
    join(folder, 'page.html'),
    '<!doctype html><meta charset="utf-8"><body><script src="bundle.js"></script>',
  );
  const page = pathToFileURL(join(folder, 'page.html')).href;
  const words = ['--headless', '--no-sandbox', '--disable-gpu', '--virtual-time-budget=5000', '--dump-dom', page];
  const { output } = attempt(browser.command, words, folder);
  const [, text = ''] = /<body>(.*)<\/body>/s.exec(output) ?? [];
  const told = text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&').trim();
  const passed = told === expected[0]?.output;
  if (!passed) console.error(`Chromium:\n${output}`);
  const [, number = ''] = /(\d+\.[\d.]+)/.exec(browser.version.output) ?? [];
  return { name: 'Chromium, headless', version: number, ran: 'a bundle of session.mjs', passed };
}

try {
  for (const runtime of RUNTIMES) rows.push(runtimeRow(runtime));
  rows.push(await browserRow());
  for (const compiler of COMPILERS) rows.push(compilerRow(compiler));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

console.log('| runtime | version | what ran | result |\n| --- | --- | --- | --- |');
for (const { name, version, ran, passed } of rows) {
  const result = passed === null ? 'not run' : passed ? 'passed' : 'FAILED';
  console.log(`| ${name} | ${version} | ${ran} | ${result} |`);
}
if (rows.some(({ passed }) => passed === false)) process.exitCode = 1;
