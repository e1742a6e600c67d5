// A session on the installed package, for every runtime. What it returns is compared with what the sources say.
import { ActiveTodoReminderStore, DaemonTodoStopGuard, explain, settleStop } from 'todo-stop-guard';
import { guardNoticeUpdate } from 'todo-stop-guard/acp';
import { initialGuardState, step } from 'todo-stop-guard/machine';
import { readTrace, recordTrace, replayTrace } from 'todo-stop-guard/trace';

export async function session() {
  const told = [];
  const lines = [];
  const background = { tasks: [], notifications: [] };
  const turn = 'turn-1';
  const todos = [{ id: '1', content: 'Write the parser', status: 'pending' }];
  const guard = new DaemonTodoStopGuard(
    { settings: { experimental: { todoStopGuard: true } } },
    recordTrace((line) => lines.push(line)),
  );
  const host = {
    turn,
    look: async () => ({ userMessages: false, queuedPrompt: false, background }),
    runStopHooks: async () => false,
    prepare: async () => {},
    open: async (request) => void told.push(explain(request)),
    close: () => {},
    notify: (notice) => void told.push(guardNoticeUpdate(notice).content.text),
  };
  guard.tell({ type: 'prompt_started', turn, origin: 'user', background });
  const provenance = { tool: 'native', scope: 'top_level', live: true, succeeded: true };
  const observed = guard.observeTodoResult({ turn, callId: 'c', ...provenance, result: { type: 'todo_list', todos } });
  told.push(explain(observed));
  const { signal } = new AbortController();
  for (let open = true; open;) {
    const outcome = await settleStop(guard, host, { signal });
    open = outcome.kind === 'opened';
    if (!open) told.push(`${outcome.kind} ${outcome.reason}`);
  }
  const reminders = new ActiveTodoReminderStore();
  reminders.startChain('prompt-1');
  reminders.update('prompt-1', todos);
  told.push(reminders.take('prompt-1') ?? 'no reminder');
  const { decision } = step(initialGuardState({ enabled: false }), { type: 'model_stopped', turn });
  told.push(decision.kind);
  told.push(`departure: ${String(replayTrace(readTrace(lines.join('\n'))).departure)}`);
  return told;
}
