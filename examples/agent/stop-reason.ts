import { RequestError } from '@agentclientprotocol/sdk';
import type { PromptResponse, StopReason } from '@agentclientprotocol/sdk';
import type { TurnEnd, TurnResult } from '../host/turn.ts';

/** Tokens in the form that ACP gives them. */
export interface PromptUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
}

/** The tokens of all streams of a turn, the guard's and its sub-agents' included (N8). */
export function usageOf({ usage: { promptTokens, completionTokens } }: TurnResult): PromptUsage {
  return {
    inputTokens: promptTokens,
    outputTokens: completionTokens,
    totalTokens: promptTokens + completionTokens,
  };
}

/**
 * The response to a prompt. `_meta` holds the usage, and the reason in the host's own words, of which there are more.
 *
 * @throws RequestError when the provider failed; its data holds the usage too.
 */
export function promptResponse(result: TurnResult): PromptResponse {
  const usage = usageOf(result);
  if (result.kind === 'failed') {
    throw new RequestError(-32603, `The model could not be reached or failed: ${result.error.message}`, { usage });
  }
  return { stopReason: stopReasonOf(result), _meta: { usage, reason: result.reason } };
}

/** ACP's word for the end of a turn. The protocol has no error among them. */
export function stopReasonOf(end: Exclude<TurnEnd, { kind: 'failed' }>): StopReason {
  if (end.kind === 'ended') return end.reason === 'cut_off' ? cutOff(end.finishReason) : 'end_turn';
  switch (end.reason) {
    case 'cancelled':
    case 'permission_cancelled':
      return 'cancelled';
    case 'token_limit':
      return 'max_tokens';
    case 'loop_detected':
    case 'repeated_calls':
      return 'max_turn_requests';
    case 'post_tool_use_stop':
    case 'stop_hook_cap':
      return 'end_turn';
  }
}

function cutOff(finishReason: string): StopReason {
  switch (finishReason) {
    case 'length':
      return 'max_tokens';
    case 'content_filter':
      return 'refusal';
    default:
      return 'end_turn';
  }
}
