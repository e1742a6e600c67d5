import type { SubAgentRunner } from './agent.ts';
import { agentTool } from './agent.ts';
import { listDirectory, readTextFile, writeTextFile } from './files.ts';
import { scheduleWakeup } from './schedule-wakeup.ts';
import { monitor, runShellCommand } from './shell.ts';
import { todoWrite } from './todo-write.ts';
import type { HostTool } from './tool.ts';

/** The hosts' own tools. */
export function hostTools(runSubAgent: SubAgentRunner): readonly HostTool[] {
  return [
    todoWrite,
    listDirectory,
    readTextFile,
    writeTextFile,
    runShellCommand,
    monitor,
    scheduleWakeup,
    agentTool(runSubAgent),
  ];
}
