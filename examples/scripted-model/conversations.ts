import type { ChatRequest } from './request.ts';
import { textOf } from './request.ts';
import type { Script, ScriptedResponse, When } from './script.ts';

/** Finds the conversation of each request and deals its responses out, in order. */
export class Conversations {
  #conversations: readonly { readonly when: When; readonly left: ScriptedResponse[] }[] = [];

  constructor(script: Script) {
    this.add(script);
  }

  /** A further script: its conversations, its top-level one last, come before those that were there. */
  add({ conversations, responses }: Script): void {
    const added = [...conversations, ...(responses.length > 0 ? [{ when: {}, responses }] : [])].map(
      ({ when, responses: dealt }) => ({
        when,
        left: dealt.flatMap((response) => Array.from({ length: response.times }, () => response)),
      }),
    );
    this.#conversations = [...added, ...this.#conversations];
  }

  /** No request fits any more. */
  clear(): void {
    this.#conversations = [];
  }

  /** The next response of the request's conversation; `null` when the script has none left for it. */
  next(request: ChatRequest): ScriptedResponse | null {
    return this.#conversations.find(({ when }) => fits(when, request))?.left.shift() ?? null;
  }

  /** How many responses nobody has asked for yet. */
  get left(): number {
    return this.#conversations.reduce((sum, { left }) => sum + left.length, 0);
  }
}

function fits(when: When, { messages }: ChatRequest): boolean {
  const isUser = ({ role }: { role: string }): boolean => role === 'user';
  const contains = (part: string | undefined, message: ChatRequest['messages'][number] | undefined): boolean =>
    part === undefined || textOf(message).includes(part);
  return (
    contains(
      when.system,
      messages.find(({ role }) => role === 'system'),
    ) &&
    contains(when.first_user, messages.find(isUser)) &&
    contains(when.last_user, messages.findLast(isUser))
  );
}
