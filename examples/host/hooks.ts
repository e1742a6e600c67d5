import * as z from 'zod';
import { OutputTail, startCommand } from './processes.ts';

const TIME_LIMIT_MS = 10_000;
const OUTPUT_CHARS_MAX = 100_000;

const Block = z.object({ decision: z.literal('block'), reason: z.string().min(1) });
const NoMore = z.object({ continue: z.literal(false) });

/**
 * Asks the stop hooks, all at once.
 *
 * @returns the reasons of those that block, in the order of the hooks; empty when the turn may end. A hook that fails,
 *   takes longer than ten seconds or prints anything else does not block.
 * @throws the signal's reason when it is aborted; the hooks are then killed.
 */
export async function askStopHooks(
  hooks: readonly string[],
  input: { readonly stop_hook_active: boolean; readonly last_assistant_message: string },
  cwd: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const answers = await Promise.all(hooks.map((hook) => runHook(hook, input, cwd, signal)));
  return answers.flatMap((answer) => {
    const block = Block.safeParse(answer);
    return block.success ? [block.data.reason] : [];
  });
}

/**
 * Tells the post-tool hooks of a result, all at once.
 *
 * @returns whether one of them stops the turn with `{"continue":false}`.
 * @throws as {@link askStopHooks} does.
 */
export async function askPostToolHooks(
  hooks: readonly string[],
  input: { readonly tool: string; readonly args: unknown; readonly result: string },
  cwd: string,
  signal: AbortSignal,
): Promise<boolean> {
  const answers = await Promise.all(hooks.map((hook) => runHook(hook, input, cwd, signal)));
  return answers.some((answer) => NoMore.safeParse(answer).success);
}

/** The JSON that a hook prints; `null` when it fails, is too slow or prints anything else. */
async function runHook(command: string, input: object, cwd: string, signal: AbortSignal): Promise<unknown> {
  signal.throwIfAborted();
  const hook = startCommand(command, cwd, JSON.stringify(input));
  const output = new OutputTail(OUTPUT_CHARS_MAX);
  hook.stdout.on('data', (text: string) => {
    output.add(text);
  });
  hook.stderr.resume();

  const timer = setTimeout(hook.kill, TIME_LIMIT_MS);
  signal.addEventListener('abort', hook.kill);
  const { code } = await hook.ended;
  clearTimeout(timer);
  signal.removeEventListener('abort', hook.kill);
  signal.throwIfAborted();
  if (code !== 0) return null;
  try {
    return JSON.parse(output.toString());
  } catch {
    return null;
  }
}
