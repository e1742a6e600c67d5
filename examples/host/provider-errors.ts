import OpenAI from 'openai';

/** The request does not fit into the model's context: a token limit, not a failure of the provider (H1). */
export class ContextOverflowError extends Error {
  override readonly name = 'ContextOverflowError';
}

const OVERFLOW_CODE = 'context_length_exceeded';
/** What providers write that know no such code. */
const OVERFLOW_MESSAGE = new RegExp(
  [
    'context (length|window|size|limit)',
    'maximum (context|prompt length)',
    'maximum number of tokens allowed',
    '(prompt|input) is too long',
    'input length should be',
    'model token limit',
    'too many tokens',
  ].join('|'),
  'i',
);
/** A rate limit counts tokens too, but passes by itself. */
const RATE_LIMITED = 429;

/** What an error of the official client, or of the stream that it gave, means to a host. */
export function explainError(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (!(error instanceof OpenAI.APIError) || error.status === RATE_LIMITED) return error;
  const { code, message } = error;
  if (code !== OVERFLOW_CODE && !OVERFLOW_MESSAGE.test(message)) return error;
  return new ContextOverflowError(message, { cause: error });
}

/** The official client, which also reads an error that a server writes without an envelope, or in a list. */
export class ModelClient extends OpenAI {
  protected override makeStatusError(
    status: number,
    body: unknown,
    message: string | undefined,
    headers: Headers,
  ): InstanceType<typeof OpenAI.APIError> {
    const error: unknown = Array.isArray(body) ? body[0] : body;
    const isObject = typeof error === 'object' && error !== null;
    const envelope = isObject && 'error' in error ? error : { error: isObject ? error : undefined };
    return super.makeStatusError(status, envelope, message, headers);
  }
}
