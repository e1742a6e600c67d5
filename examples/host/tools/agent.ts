import * as z from 'zod';
import { taskNotification } from '../background.ts';
import { Slots } from '../slots.ts';
import type { HostTool, ToolContext } from './tool.ts';
import { begun, defineTool, succeeded } from './tool.ts';

/** Background sub-agents of a session that run at once; further ones are queued. */
const RUNNING_MAX = 4;

/** Runs a sub-agent to its report. */
export type SubAgentRunner = (prompt: string, context: ToolContext) => Promise<string>;

/** The tool that delegates. In the background the sub-agent outlives the turn, and is ended with the session. */
export function agentTool(run: SubAgentRunner): HostTool {
  const slots = new Slots(RUNNING_MAX);
  return defineTool({
    name: 'agent',
    description:
      'Give a task to a sub-agent and get its report. With is_background it works while you go on; you are notified of its end.',
    schema: z.strictObject({ prompt: z.string().min(1), is_background: z.boolean().optional() }),
    run: async ({ prompt, is_background }, context) => {
      if (is_background !== true) return succeeded(await run(prompt, context));
      const ending = new AbortController();
      const end = (): void => {
        ending.abort(new Error('The session has ended.'));
      };
      const task = context.background.begin('agent', context.parent, end, 'queued');
      const own: ToolContext = { ...context, signal: ending.signal, parent: task.source, spend: () => undefined };
      const running = slots.run(() => {
        ending.signal.throwIfAborted();
        task.run();
        return run(prompt, own);
      });
      running.then(
        (report) => {
          task.end(taskNotification(task.source, 'completed', report));
        },
        (error: unknown) => {
          task.end(taskNotification(task.source, 'failed', error instanceof Error ? error.message : String(error)));
        },
      );
      return begun(task.source);
    },
  });
}
