import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fillTables } from '../../scripts/fill-tables.ts';
import manifest from '../../package.json' with { type: 'json' };

const page = 'before\n<!-- sizes -->\n\n| a   | b   |\n| --- | --- |\n| 1   | 2   |\n\n<!-- /sizes -->\nafter\n';

describe('the tables of the README', () => {
  test('a table that says the same is left as it is, padding and all', () => {
    const content = '| a | b |\n| --- | --- |\n| 1 | 2 |\n';
    expect(fillTables(page, () => content)).toEqual({ text: page, changed: [] });
    expect(fillTables(page, () => content.replace('2', '3')).changed).toEqual(['sizes']);
  });

  test('a table that says something else is replaced, and named', () => {
    const { text, changed } = fillTables(page, (name) => `| ${name} |`);
    expect(text).toBe('before\n<!-- sizes -->\n\n| sizes |\n\n<!-- /sizes -->\nafter\n');
    expect(changed).toEqual(['sizes']);
  });

  test('a marker without its end is text', () => {
    expect(fillTables('<!-- sizes -->\nno end', () => 'table').changed).toEqual([]);
  });
});

describe('what the papers claim', () => {
  const readme = readFileSync('README.md', 'utf8');

  test('each script that a paper names is there', () => {
    const papers = ['README.md', 'CONTRIBUTING.md', 'docs/adoption.md', 'docs/architecture.md'];
    const named = papers.flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name]) => name),
    );
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => name === undefined || !(name in manifest.scripts))).toEqual([]);
  });

  test('the change log begins with the version of the manifest', () => {
    const [, version] = /^## (\d\S*)/m.exec(readFileSync('CHANGELOG.md', 'utf8')) ?? [];
    expect(version).toBe(manifest.version);
  });

  test('a version of Node that the README names is the one that the manifest asks for', () => {
    const majors = [...readme.matchAll(/Node (?:>= ?)?(\d+)/g)].map(([, major]) => `>=${major ?? ''}`);
    expect(majors.filter((range) => range !== manifest.engines.node)).toEqual([]);
  });
});
