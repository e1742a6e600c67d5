import { RequestError } from '@agentclientprotocol/sdk';
import type { ContentBlock, PromptRequest } from '@agentclientprotocol/sdk';
import type { PromptOrigin } from 'todo-stop-guard';

/** A `session/prompt`, as the session takes it. */
export interface ReadPrompt {
  readonly text: string;
  readonly origin: PromptOrigin;
  /** The client's own name for the prompt, which drains repeat. */
  readonly promptId: string | undefined;
}

/**
 * Reads a prompt and its flat `_meta` keys: `qwen.daemon.retry` and `qwen.daemon.continue`, each trusted when it is
 * `true` and nothing else (C2), and `qwen.daemon.promptId`.
 *
 * @throws RequestError that names the block when one cannot be read, or when there is no text.
 */
export function readPrompt({ prompt, _meta }: PromptRequest): ReadPrompt {
  const text = prompt.map(textOf).join('\n');
  if (text.trim() === '')
    throw RequestError.invalidParams(undefined, 'prompt has no text; send at least one text block');
  const promptId = _meta?.['qwen.daemon.promptId'];
  return {
    text,
    origin: originOf(_meta),
    promptId: typeof promptId === 'string' && promptId !== '' ? promptId : undefined,
  };
}

function originOf(meta: PromptRequest['_meta']): PromptOrigin {
  if (meta?.['qwen.daemon.retry'] === true) return 'retry';
  return meta?.['qwen.daemon.continue'] === true ? 'continue' : 'user';
}

function textOf(block: ContentBlock, index: number): string {
  if (block.type === 'text') return block.text;
  if (block.type === 'resource_link') return `[${block.name}](${block.uri})`;
  if (block.type === 'resource' && 'text' in block.resource) {
    return `<resource uri="${block.resource.uri}">\n${block.resource.text}\n</resource>`;
  }
  throw RequestError.invalidParams(undefined, `prompt[${index}] is no text; this agent takes text and links only`);
}
