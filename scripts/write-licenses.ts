/**
 * Writes the licences of everything that was bundled into `dist`, which those licences ask for. What was bundled, the
 * bundler says in its comments.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod';

const manifest = z.object({ version: z.string(), license: z.string() });
const BUNDLED = /^\s*(?:\/\/|") ?node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//gm;

const names = new Set(
  readdirSync('dist')
    .filter((file) => /\.c?js$/.test(file))
    .flatMap((file) => [...readFileSync(`dist/${file}`, 'utf8').matchAll(BUNDLED)].map(([, name = '']) => name)),
);
const texts = [...names].sort().map((name) => {
  const folder = `node_modules/${name}`;
  const { version, license } = manifest.parse(JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${folder} has no licence file: do not bundle it.`);
  return `${name} ${version} (${license})\n\n${readFileSync(`${folder}/${file}`, 'utf8').trim()}\n`;
});

if (texts.length === 0)
  throw new Error('dist bundles nothing: build it before, or bundle nothing and delete this script.');
writeFileSync('dist/THIRD_PARTY_LICENSES.txt', texts.join(`\n${'-'.repeat(80)}\n\n`));
