import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import * as z from 'zod';

const CONSUMER = 'test/package/consumer';
const packed = z.tuple([z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) })]);

/** What `npm publish` would send, installed from its tarball into a folder of its own. */
export interface PackedPackage {
  /** A project with the consumers and the package, outside of the repository. */
  readonly folder: string;
  /** The paths in the tarball. */
  readonly files: readonly string[];
}

/** Builds the package if the sources are newer than the build, packs it and installs the tarball. Needs no network. */
export function installPacked(): PackedPackage {
  if (!existsSync('dist/index.d.ts') || newest('src') > newest('dist')) npm(['run', '--silent', 'build']);
  const folder = mkdtempSync(join(tmpdir(), 'todo-stop-guard-'));
  const [{ filename, files }] = packed.parse(JSON.parse(npm(['pack', '--json', '--pack-destination', folder])));
  cpSync(CONSUMER, folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  npm(['install', '--offline', ...QUIET, `./${filename}`], folder);
  return { folder, files: files.map(({ path }) => path) };
}

/** Installs a package of the registry beside the packed one. */
export function installBeside(folder: string, ...packages: readonly string[]): void {
  npm(['install', '--prefer-offline', ...QUIET, ...packages], folder);
}

const QUIET = ['--no-audit', '--no-fund', '--silent'];

function npm(words: readonly string[], folder = '.'): string {
  return execFileSync('npm', words, { cwd: resolve(folder), encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

/** When the newest file of a folder was written, in milliseconds since 1970. */
function newest(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Math.max(...files.map((file) => statSync(join(folder, file)).mtimeMs));
}
