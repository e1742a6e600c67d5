// What a host in TypeScript writes, compiled against the declarations that ship.
import { DaemonTodoStopGuard, explain, settleStop, type GuardDecision, type StopHost } from 'todo-stop-guard';
import { guardNoticeUpdate } from 'todo-stop-guard/acp';
import { initialGuardState, step, type GuardState } from 'todo-stop-guard/machine';
import { PromptContext } from 'todo-stop-guard/prompt-context';
import { readTrace, recordTrace, replayTrace, type TraceReplay } from 'todo-stop-guard/trace';

export async function settle(host: StopHost, signal: AbortSignal, write: (line: string) => void): Promise<string> {
  const guard = new DaemonTodoStopGuard({ settings: { experimental: { todoStopGuard: true } } }, recordTrace(write));
  const outcome = await settleStop(guard, host, { signal });
  return outcome.kind === 'opened' ? outcome.request.carries.join() : outcome.kind;
}

export function describe(decision: GuardDecision): string {
  if (decision.kind === 'stop' && decision.notice) return guardNoticeUpdate(decision.notice).content.text;
  return explain(decision);
}

export function advance(state: GuardState): GuardState {
  return state.off ? state : step(state, { type: 'model_stopped', turn: state.turn?.id ?? 'turn-1' }).state;
}

export function replay(text: string): TraceReplay {
  return replayTrace(readTrace(text));
}

export const first: GuardState = initialGuardState({ enabled: true });
export const promptId: string | undefined = new PromptContext().promptId;

// @ts-expect-error -- a declaration that has become `any` would let this pass
step(first, { type: 'model_exploded' });
