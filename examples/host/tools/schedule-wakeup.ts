import * as z from 'zod';
import type { HostTool } from './tool.ts';
import { begun, defineTool } from './tool.ts';

const DELAY_SECONDS_MAX = 7 * 24 * 3600;

export const scheduleWakeup: HostTool = defineTool({
  name: 'schedule_wakeup',
  description: 'Be woken up with a prompt after a delay, to go on then.',
  schema: z.strictObject({
    delay_seconds: z.number().min(0).max(DELAY_SECONDS_MAX),
    prompt: z.string().min(1),
  }),
  run: ({ delay_seconds, prompt }, { background, parent }) => {
    const timer = setTimeout(() => {
      task.end(prompt);
    }, delay_seconds * 1000);
    const task = background.begin('wakeup', parent, () => {
      clearTimeout(timer);
    });
    return begun(task.source);
  },
});
