import { describe, expect, test } from 'vitest';
import { explain, guardPrompt, initialGuardState, step } from 'todo-stop-guard';
import type { GuardDecision, GuardEvent, GuardState, TodoResultRefused } from 'todo-stop-guard';

const notice = { about: 'continuation', attempt: 1, maxAttempts: 2, unfinishedCount: 3 } as const;

/** One decision of each kind, with and without what it may carry, and what is said about it. */
const SENTENCES: readonly (readonly [GuardDecision | TodoResultRefused, string])[] = [
  [{ kind: 'look' }, 'Looking for messages of the user, queued prompts and background work.'],
  [{ kind: 'run_stop_hooks' }, 'Running the stop hooks.'],
  [{ kind: 'prepare' }, 'Preparing an automatic continuation.'],
  [
    {
      kind: 'send',
      carries: ['stop_hook_reason', 'guard_prompt'],
      attempt: 1,
      maxAttempts: 2,
      prompt: guardPrompt(3, false),
    },
    'Sending automatic continuation 1 of 2 with the reason of the stop hook, then the guard prompt.',
  ],
  [
    { kind: 'send', carries: ['tool_results'], attempt: 2, maxAttempts: 2 },
    'Sending the tool results so that the model can finish its answer, as automatic continuation 2 of 2.',
  ],
  [
    { kind: 'continue', carries: ['tool_results', 'user_messages'] },
    "Going on in the host's own loop with the tool results, then the messages of the user.",
  ],
  [{ kind: 'stop', reason: 'nothing_unfinished' }, 'Stopping: no trusted Todo item is unfinished.'],
  [
    { kind: 'stop', reason: 'exhausted', notice: { ...notice, about: 'exhaustion', attempt: 2, unfinishedCount: 1 } },
    'Stopping: no automatic continuation is left until the user writes; 2 attempts spent, 1 item unfinished.',
  ],
  [{ kind: 'admit', chain: 'new' }, 'Running the turn in a new work chain.'],
  [{ kind: 'admit', chain: 'kept' }, 'Running the turn in the work chain that there is.'],
  [{ kind: 'hold', reason: 'retry' }, 'Holding the automatic turn back: the work waits for a retry.'],
  [{ kind: 'noted' }, 'Noted.'],
  [{ kind: 'noted', released: true }, 'Noted; held automatic turns can be asked for again.'],
  [{ kind: 'noted', notice }, 'Noted: automatic continuation 1 of 2 has begun, 3 items unfinished.'],
  [{ kind: 'ignored', reason: 'stale_turn' }, 'Ignored: the turn is not the live one.'],
  [{ kind: 'ignored', reason: 'not_native' }, "Ignored: the result is not of the host's own Todo tool."],
];

describe('explain', () => {
  test.each(SENTENCES)('%o', (decision, sentence) => {
    expect(explain(decision)).toBe(sentence);
  });

  test('[T4] a sentence repeats neither the guard prompt nor anything that a host may have put beside a decision', () => {
    const prompt = guardPrompt(3, true);
    const secret = 'buy the ring';
    const decision = { kind: 'send', carries: ['guard_prompt'], attempt: 2, maxAttempts: 2, prompt, secret } as const;
    expect(explain(decision)).not.toContain(secret);
    expect(explain(decision)).not.toContain(prompt.slice(0, 20));
  });

  test('what a session decides is told apart', () => {
    const turn = 't';
    const looked = { type: 'looked', turn, userMessages: false, queuedPrompt: false, background: false } as const;
    const events: readonly GuardEvent[] = [
      { type: 'prompt_started', turn, origin: 'user' },
      { type: 'todos_written', turn, unfinishedCount: 1 },
      { type: 'model_stopped', turn },
      looked,
      { type: 'stop_hooks_finished', turn, blocked: false },
      looked,
      { type: 'prepared', turn },
      looked,
      { type: 'stream_opened', turn },
    ];
    let state: GuardState = initialGuardState({ enabled: true });
    const told = events.map((event) => {
      const next = step(state, event);
      state = next.state;
      return explain(next.decision);
    });
    expect(new Set(told).size).toBe(7); // the three looks say the same
    expect(told.every((sentence) => /^[A-Z][^\n]*\.$/.test(sentence))).toBe(true);
  });
});
