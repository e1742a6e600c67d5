import { RequestError } from '@agentclientprotocol/sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasQueuedPrompt, isMethodNotFound, NO_QUEUE, readDrainAnswer, readDrainError } from 'todo-stop-guard/acp';

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

const throwing = (field: string): object =>
  Object.defineProperty({ messages: [] }, field, {
    enumerable: true,
    get() {
      throw new Error('hostile');
    },
  });

describe('readDrainAnswer', () => {
  it('[D1] reads the messages in order and the snapshot of the queue', () => {
    expect(readDrainAnswer({ messages: ['b', 'a', ''], hasQueuedPrompt: true })).toEqual({
      ok: true,
      messages: ['b', 'a', ''],
      hasQueuedPrompt: true,
    });
  });

  it.each([
    ['left out', { messages: [] }],
    ['undefined', { messages: [], hasQueuedPrompt: undefined }],
    ['null', { messages: [], hasQueuedPrompt: null }],
    ['false', { messages: [], hasQueuedPrompt: false }],
  ])('[D1] takes hasQueuedPrompt %s for false', (_name, result) => {
    expect(readDrainAnswer(result)).toEqual({ ok: true, messages: [], hasQueuedPrompt: false });
  });

  it('[D1] allows extra keys and does not pass them on', () => {
    const result = { messages: ['go'], hasQueuedPrompt: true, _meta: { trace: 1 }, later: 'field' };
    expect(readDrainAnswer(result)).toEqual({ ok: true, messages: ['go'], hasQueuedPrompt: true });
  });

  it.each([
    ['the answer', null],
    ['the answer', undefined],
    ['the answer', 'messages'],
    ['the answer', ['go']],
    ['messages', {}],
    ['messages', { messages: 'go' }],
    ['messages', { messages: { 0: 'go', length: 1 } }],
    ['messages.1', { messages: ['go', 7] }],
    ['messages.0', { messages: [{ text: 'go' }] }],
  ])('[O8] names %s as the malformed part of %j', (field, result) => {
    expect(readDrainAnswer(result)).toEqual({
      ok: false,
      error: `craft/drainMidTurnQueue: ${field} is malformed; expected { messages: string[], hasQueuedPrompt?: boolean }.`,
      messages: [],
    });
  });

  it.each(['true', 1, {}])('[O8] [F28] keeps the messages when hasQueuedPrompt is %j', (bad) => {
    expect(readDrainAnswer({ messages: ['do not lose me'], hasQueuedPrompt: bad })).toEqual({
      ok: false,
      error:
        'craft/drainMidTurnQueue: hasQueuedPrompt is malformed; expected { messages: string[], hasQueuedPrompt?: boolean }.',
      messages: ['do not lose me'],
    });
  });

  it.each([
    ['a revoked proxy', revoked()],
    ['a getter that throws for the messages', throwing('messages')],
    ['a getter that throws for the snapshot', throwing('hasQueuedPrompt')],
  ])('[O8] takes %s for a malformed answer', (_name, result) => {
    expect(readDrainAnswer(result)).toMatchObject({ ok: false, messages: [] });
  });

  it('[O8] throws for no value at all', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withMap: true, withBigInt: true }), (result) => {
        expect(readDrainAnswer(result)).toHaveProperty('ok');
      }),
    );
  });
});

describe('readDrainError', () => {
  it('[D1] takes a client without the method for one without a queue', () => {
    expect(readDrainError(RequestError.methodNotFound('craft/drainMidTurnQueue'))).toBe(NO_QUEUE);
    expect(NO_QUEUE).toEqual({ ok: true, messages: [], hasQueuedPrompt: false });
  });

  it.each([
    ['another JSON-RPC error', RequestError.internalError()],
    ['an error without a code', new Error('Method not found')],
    ['nothing', undefined],
  ])('[O8] takes %s for a look that failed', (_name, error) => {
    expect(readDrainError(error)).toEqual({
      ok: false,
      error: 'craft/drainMidTurnQueue: the request failed.',
      messages: [],
    });
  });
});

describe('isMethodNotFound', () => {
  it('[D1] goes by the code', () => {
    expect(isMethodNotFound({ code: -32601, message: 'no such thing' })).toBe(true);
    expect(isMethodNotFound(Object.assign(new Error('whatever'), { code: -32601 }))).toBe(true);
  });

  it.each([
    ['another code', { code: -32600 }],
    ['a code that is text', { code: '-32601' }],
    ['no code', { message: 'Method not found' }],
    ['words', 'Method not found'],
    ['a number', -32601],
    ['null', null],
    ['a revoked proxy', revoked()],
  ])('[D1] is false for %s', (_name, error) => {
    expect(isMethodNotFound(error)).toBe(false);
  });
});

describe('hasQueuedPrompt', () => {
  const { signal } = new AbortController();
  const queued = { complete: true, state: 'queued', signal };

  it('[D2] is true for a complete entry that is queued and not aborted, wherever it stands', () => {
    expect(hasQueuedPrompt([{ ...queued, state: 'running' }, queued])).toBe(true);
    expect(hasQueuedPrompt(new Map([['p1', queued]]).values())).toBe(true);
  });

  it.each([
    ['an empty list', []],
    ['an incomplete entry', [{ ...queued, complete: false }]],
    ['a running entry', [{ ...queued, state: 'running' }]],
    ['an aborted entry', [{ ...queued, signal: AbortSignal.abort() }]],
    [
      'entries that fail in one thing each',
      [
        { ...queued, complete: false },
        { ...queued, state: 'done' },
        { ...queued, signal: AbortSignal.abort() },
      ],
    ],
  ])('[D2] is false for %s', (_name, pending) => {
    expect(hasQueuedPrompt(pending)).toBe(false);
  });

  it('[D2] sees an abort when it happens', () => {
    const controller = new AbortController();
    const pending = [{ ...queued, signal: controller.signal }];
    expect(hasQueuedPrompt(pending)).toBe(true);
    controller.abort();
    expect(hasQueuedPrompt(pending)).toBe(false);
  });
});
