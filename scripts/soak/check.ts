import { isGuardPrompt } from 'todo-stop-guard';
import type { ChatRequest } from '../../examples/scripted-model/request.ts';
import { textOf } from '../../examples/scripted-model/request.ts';
import type { Account } from './session.ts';
import { userWordsOf } from './session.ts';

/** The bound of the guard: automatic streams of a chain between two inputs of the user (B1). */
const GUARD_STREAMS_MAX = 2;

/**
 * What a session's account, and what its model was sent, say against the daemon.
 *
 * @param requests - those of this session, in order.
 * @returns one line for each thing that is wrong.
 */
export function problemsOf(account: Account, requests: readonly ChatRequest[]): readonly string[] {
  return [...unsettled(account), ...chains(account, requests), ...words(account, requests)].map(
    (problem) => `${account.tag} ${problem}`,
  );
}

function unsettled({ prompts, events }: Account): readonly string[] {
  return [...prompts].flatMap(([promptId, text]) => {
    const ends = events.filter(
      ({ type, promptId: id }) => id === promptId && (type === 'prompt_ended' || type === 'prompt_dropped'),
    );
    return ends.length === 1 ? [] : [`"${text}" has ended ${ends.length} times`];
  });
}

function chains({ tag }: Account, requests: readonly ChatRequest[]): readonly string[] {
  let streams = 0;
  return requests.flatMap(({ messages }) => {
    const last = textOf(messages.at(-1));
    if (isGuardPrompt(last)) streams++;
    else if (last.includes(tag)) streams = 0;
    return streams > GUARD_STREAMS_MAX ? [`the guard opened stream ${streams} without new input`] : [];
  });
}

function words({ prompts, dropped, messages, events }: Account, requests: readonly ChatRequest[]): readonly string[] {
  const sent = requests.map((request) => request.messages.map(textOf).join('\n'));
  const shown = (text: string): number => events.filter((event) => userWordsOf(event) === text).length;
  const occurrences = (text: string): number => Math.max(0, ...sent.map((all) => all.split(text).length - 1));
  /** An agent that dies takes along what it has fetched and not sent yet; nobody can know whether it was sent. */
  const diedAfter = (text: string): boolean => {
    const at = events.findIndex((event) => userWordsOf(event) === text);
    return at >= 0 && events.slice(at).some(({ type }) => type === 'agent_lost');
  };
  const failed = (promptId: string): boolean =>
    events.some(
      ({ type, promptId: id, error, stopReason }) =>
        type === 'prompt_ended' && id === promptId && (error !== undefined || stopReason === 'cancelled'),
    );

  const ofPrompts = [...prompts].flatMap(([promptId, text]) => {
    const times = occurrences(text);
    if (dropped.has(promptId)) return times === 0 ? [] : [`"${text}" was dropped, and was sent`];
    if (times > 1) return [`"${text}" was sent twice`];
    return times === 1 || failed(promptId) ? [] : [`"${text}" was lost`];
  });
  const ofMessages = messages.flatMap((text) => {
    const times = occurrences(text);
    if (times > 1 || shown(text) > 1) return [`"${text}" was sent twice`];
    return times === 1 || diedAfter(text) ? [] : [`"${text}" was lost`];
  });
  return [...ofPrompts, ...ofMessages];
}
