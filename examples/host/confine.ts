import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';

/**
 * The real path of something inside a directory, which need not exist yet.
 *
 * @param root - an existing directory.
 * @param path - absolute, or relative to `root`.
 * @throws Error when it is outside, also by way of a symbolic link.
 */
export async function confine(root: string, path: string): Promise<string> {
  const base = await realpath(root);
  const target = await realpathSoFar(resolve(base, path));
  const way = relative(base, target);
  if (way === '..' || way.startsWith('../') || isAbsolute(way)) {
    throw new Error(`${path} is outside the working directory. Give a path inside it.`);
  }
  return target;
}

/** Resolves the links of the part that exists. */
async function realpathSoFar(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
    if (await isLink(path)) throw new Error(`${path} is a link to nowhere.`, { cause: error });
    return join(await realpathSoFar(dirname(path)), basename(path));
  }
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
