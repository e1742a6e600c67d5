import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { confine } from '../confine.ts';
import { headOf } from '../cut-text.ts';
import type { HostTool } from './tool.ts';
import { defineTool, succeeded } from './tool.ts';

const FILE_CHARS_MAX = 100_000;

export const listDirectory: HostTool = defineTool({
  name: 'list_directory',
  description: 'List a directory. The name of a directory ends with a slash.',
  schema: z.strictObject({ path: z.string() }),
  run: async ({ path }, { cwd }) => {
    const entries = await readdir(await confine(cwd, path), { withFileTypes: true });
    const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name)).sort();
    return succeeded(names.join('\n') || '(empty)');
  },
});

export const readTextFile: HostTool = defineTool({
  name: 'read_file',
  description: 'Read a text file.',
  schema: z.strictObject({ file_path: z.string() }),
  run: async ({ file_path }, { cwd }) => {
    const path = await confine(cwd, file_path);
    await refuseOtherThanFile(path, file_path);
    const text = await readFile(path, 'utf8');
    if (text.length <= FILE_CHARS_MAX) return succeeded(text);
    return succeeded(`${headOf(text, FILE_CHARS_MAX)}\n[cut: the file has ${text.length} characters]`);
  },
});

export const writeTextFile: HostTool = defineTool({
  name: 'write_file',
  description: 'Write a text file, and the directories it needs. What was there is replaced.',
  schema: z.strictObject({ file_path: z.string(), content: z.string() }),
  changesThings: true,
  run: async ({ file_path, content }, { cwd }) => {
    const path = await confine(cwd, file_path);
    await mkdir(dirname(path), { recursive: true });
    await refuseOtherThanFile(path, file_path);
    await writeFile(path, content);
    return succeeded(`Wrote ${file_path}.`);
  },
});

/** A pipe or a device may never answer, and no cancel ends the wait. What does not exist is for others to tell. */
async function refuseOtherThanFile(path: string, shown: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.isFile() === false) throw new Error(`${shown} is not a regular file.`);
}
