import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import * as z from 'zod';
import { taskNotification } from '../background.ts';
import { headOf } from '../cut-text.ts';
import type { RunningCommand } from '../processes.ts';
import { OutputTail, startCommand } from '../processes.ts';
import type { HostTool, ToolContext, ToolResult } from './tool.ts';
import { begun, defineTool } from './tool.ts';

const OUTPUT_CHARS_MAX = 30_000;
const LINE_CHARS_MAX = 2_000;

export const runShellCommand: HostTool = defineTool({
  name: 'run_shell_command',
  description:
    'Run a shell command in the working directory. With is_background it goes on while you work; you are notified of its end.',
  schema: z.strictObject({
    command: z.string().min(1),
    description: z.string().optional(),
    is_background: z.boolean().optional(),
  }),
  changesThings: true,
  run: ({ command, is_background }, context) =>
    is_background === true ? beginShell(command, context) : runShell(command, context),
});

export const monitor: HostTool = defineTool({
  name: 'monitor',
  description: 'Run a shell command in the background and be notified of each line that it prints, and of its end.',
  schema: z.strictObject({ command: z.string().min(1) }),
  changesThings: true,
  run: ({ command }, { cwd, background, parent }) => {
    const running = startCommand(command, cwd);
    const task = background.begin('monitor', parent, running.kill);
    const lines = [running.stdout, running.stderr].map((stream) =>
      eachLine(stream, (line) => {
        task.notify(taskNotification(task.source, 'running', line));
      }),
    );
    void Promise.all([running.ended, ...lines]).then(([ended]) => {
      task.end(taskNotification(task.source, statusOf(ended), ''));
    });
    return begun(task.source);
  },
});

async function runShell(command: string, { cwd, signal }: ToolContext): Promise<ToolResult> {
  signal.throwIfAborted();
  const running = startCommand(command, cwd);
  const output = collect(running);
  signal.addEventListener('abort', running.kill);
  const ended = await running.ended;
  signal.removeEventListener('abort', running.kill);
  signal.throwIfAborted();
  const text = `${output.toString().trimEnd()}\n[${statusOf(ended)}]`.trimStart();
  return { succeeded: ended.code === 0, text };
}

function beginShell(command: string, { cwd, background, parent }: ToolContext): ToolResult {
  const running = startCommand(command, cwd);
  const output = collect(running);
  const task = background.begin('shell', parent, running.kill);
  void running.ended.then((ended) => {
    task.end(taskNotification(task.source, statusOf(ended), output.toString()));
  });
  return begun(task.source);
}

function collect({ stdout, stderr }: RunningCommand): OutputTail {
  const output = new OutputTail(OUTPUT_CHARS_MAX);
  for (const stream of [stdout, stderr]) {
    stream.on('data', (text: string) => {
      output.add(text);
    });
  }
  return output;
}

/** Resolves at the stream's end, also when it is destroyed. An overlong line is cut. */
async function eachLine(stream: Readable, take: (line: string) => void): Promise<void> {
  const lines = createInterface({ input: stream });
  stream.once('close', () => {
    lines.close();
  });
  for await (const line of lines) take(headOf(line, LINE_CHARS_MAX));
}

function statusOf({ code, error }: Awaited<RunningCommand['ended']>): string {
  if (error !== undefined) return `failed: ${error.message}`;
  return code === null ? 'killed' : `exit code ${code}`;
}
