import { ActiveTodoReminderStore } from 'todo-stop-guard';
import type { ActiveTodoReminderOptions, TurnId } from 'todo-stop-guard';
import type { AutomaticTurn } from './background.ts';
import { BackgroundRegistry } from './background.ts';
import type { CronJob, HostFlags } from './flags.ts';
import { HostGuard } from './host-guard.ts';
import type { Model } from './model.ts';
import type { SessionParts } from './session-parts.ts';
import { runSubAgent } from './sub-agent.ts';
import type { SessionSurface } from './surface.ts';
import { hostTools } from './tools/host-tools.ts';
import type { HostTool } from './tools/tool.ts';

/** What a session is made of. */
export interface SessionOptions {
  readonly flags: HostFlags;
  readonly model: Model;
  readonly surface: SessionSurface;
  /** An absolute path of a directory. */
  readonly cwd: string;
  readonly cronJobs?: readonly CronJob[];
  /** How long the reminder may be and how often it is repeated (R9). */
  readonly reminder?: ActiveTodoReminderOptions;
  /** Tools that were discovered, from an MCP server for example. One that has a host tool's name shadows that. */
  readonly discoveredTools?: readonly HostTool[];
}

/** How the parts of a session reach the session itself. */
export interface SessionAccess extends Pick<SessionParts, 'cwd' | 'mode' | 'snapshot'> {
  /** The turn that runs; empty when none does. */
  readonly liveTurn: () => TurnId;
  /** An automatic turn is due. */
  readonly due: (turn: AutomaticTurn) => void;
  /** The guard holds something no more (Q2). */
  readonly released: () => void;
}

/** Puts together what the turns of a session share. */
export function assembleParts(options: SessionOptions, session: SessionAccess): SessionParts {
  const { flags, model, surface, cronJobs = [], discoveredTools = [] } = options;
  const { cwd, mode, snapshot, liveTurn, due, released } = session;
  const guard = new HostGuard(
    {
      settings: { experimental: { todoStopGuard: flags.todoStopGuard } },
      safeMode: flags.safeMode,
      bare: flags.bare,
      approvalMode: flags.approvalMode,
    },
    (told, decision, state) => {
      surface.decided(told, decision, state);
      if (decision.kind === 'noted' && decision.released === true) released();
    },
  );
  const background = new BackgroundRegistry({
    due,
    changed: () => {
      guard.observeBackground(snapshot());
    },
  });
  for (const job of cronJobs) background.every(job.every_seconds, job);
  const tools = hostTools((prompt, context) => runSubAgent(parts, liveTurn(), prompt, context));
  const parts: SessionParts = {
    flags,
    model,
    surface,
    guard,
    background,
    reminders: new ActiveTodoReminderStore(options.reminder),
    tools: new Map([...tools, ...discoveredTools].map((tool) => [tool.name, tool])),
    cwd,
    mode,
    snapshot,
  };
  return parts;
}
