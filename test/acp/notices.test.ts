import {
  agent,
  client,
  ndJsonStream,
  PROTOCOL_VERSION,
  type SessionNotification,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  type GuardNotice,
  guardNoticeNotification,
  type GuardNoticeNotification,
  guardNoticeUpdate,
  type GuardNoticeUpdate,
  isGuardNotice,
} from 'todo-stop-guard/acp';

const continuation: GuardNotice = { about: 'continuation', attempt: 1, maxAttempts: 2, unfinishedCount: 3 };
const exhaustion: GuardNotice = { about: 'exhaustion', attempt: 2, maxAttempts: 2, unfinishedCount: 3 };

describe('guardNoticeUpdate', () => {
  it('[N3] is a message chunk of its own', () => {
    expect(guardNoticeUpdate(continuation)).toStrictEqual({
      sessionUpdate: 'agent_message_chunk',
      content: {
        type: 'text',
        text: '[Todo Stop Guard] Automatic continuation 1/2 started; 3 todo item(s) remain unfinished.',
      },
      _meta: {
        source: 'todo_stop_guard',
        qwenDiscreteMessage: true,
        attempt: 1,
        maxAttempts: 2,
        unfinishedCount: 3,
      },
    });
  });

  it('[N4] [F32] has the same _meta for an exhaustion', () => {
    expect(guardNoticeUpdate(exhaustion)).toStrictEqual({
      sessionUpdate: 'agent_message_chunk',
      content: {
        type: 'text',
        text: '[Todo Stop Guard] Automatic continuation stopped after 2 attempts; 3 todo item(s) remain unfinished.',
      },
      _meta: {
        source: 'todo_stop_guard',
        qwenDiscreteMessage: true,
        attempt: 2,
        maxAttempts: 2,
        unfinishedCount: 3,
      },
    });
  });

  it("[N3] satisfies the SDK's types", () => {
    expectTypeOf<GuardNoticeUpdate>().toExtend<SessionUpdate>();
    expectTypeOf<GuardNoticeNotification>().toExtend<SessionNotification>();
    // @ts-expect-error a notice is no user's message
    expectTypeOf<GuardNoticeUpdate>().toExtend<Extract<SessionUpdate, { sessionUpdate: 'user_message_chunk' }>>();
  });
});

describe('isGuardNotice', () => {
  it('[N3] [N4] recognises every notice, also after a trip over the wire', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('continuation' as const, 'exhaustion' as const),
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 10 }),
        fc.nat(),
        (about, attempt, maxAttempts, unfinishedCount) => {
          const update = guardNoticeUpdate({ about, attempt, maxAttempts, unfinishedCount });
          expect(isGuardNotice(JSON.parse(JSON.stringify(update)))).toBe(true);
        },
      ),
    );
  });

  it('[N3] narrows to the numbers', () => {
    const update: unknown = guardNoticeUpdate(continuation);
    expect(isGuardNotice(update) && update._meta.unfinishedCount).toBe(3);
  });

  it('[N3] allows what a relay adds', () => {
    const update = guardNoticeUpdate(continuation);
    expect(isGuardNotice({ ...update, messageId: 'm1', _meta: { ...update._meta, receivedAt: 1 } })).toBe(true);
  });

  const notice = guardNoticeUpdate(continuation);
  const withMeta = (meta: object): unknown => ({ ...notice, _meta: { ...notice._meta, ...meta } });
  const revocable = Proxy.revocable({}, {});
  revocable.revoke();
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['its text', notice.content.text],
    ['its text without its _meta', { sessionUpdate: notice.sessionUpdate, content: notice.content }],
    ['a null _meta', { ...notice, _meta: null }],
    ['a thought', { ...notice, sessionUpdate: 'agent_thought_chunk' }],
    ['an image', { ...notice, content: { type: 'image', data: '', mimeType: 'image/png' } }],
    ['another source', withMeta({ source: 'stop_hook' })],
    ['no mark', withMeta({ qwenDiscreteMessage: undefined })],
    ['a mark that is text', withMeta({ qwenDiscreteMessage: 'true' })],
    ['no attempt at all', withMeta({ attempt: 0 })],
    ['half an attempt', withMeta({ attempt: 1.5 })],
    ['an attempt as text', withMeta({ attempt: '1' })],
    ['no attempts allowed', withMeta({ maxAttempts: 0 })],
    ['a negative count', withMeta({ unfinishedCount: -1 })],
    ['a count that is no number', withMeta({ unfinishedCount: NaN })],
    ['a missing count', withMeta({ unfinishedCount: undefined })],
    ['a revoked proxy', revocable.proxy],
    [
      'a getter that throws',
      {
        get sessionUpdate(): string {
          throw new Error('hostile');
        },
      },
    ],
  ])('[N3] is false for %s', (_name, update) => {
    expect(isGuardNotice(update)).toBe(false);
  });
});

it("[N3] [N4] passes the SDK's own agent and client untouched, _meta included", async () => {
  const toAgent = new TransformStream<Uint8Array, Uint8Array>();
  const toClient = new TransformStream<Uint8Array, Uint8Array>();
  const serving = agent({ name: 'agent' })
    .onRequest('initialize', () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: {} }))
    .onRequest('session/new', () => ({ sessionId: 's1' }))
    .onRequest('session/prompt', async ({ params, client: peer }) => {
      await peer.notify('session/update', guardNoticeNotification(params.sessionId, continuation));
      await peer.notify('session/update', guardNoticeNotification(params.sessionId, exhaustion));
      return { stopReason: 'end_turn' };
    })
    .connect(ndJsonStream(toClient.writable, toAgent.readable));

  const received: SessionNotification[] = [];
  await client({ name: 'client' }).connectWith(ndJsonStream(toAgent.writable, toClient.readable), async (peer) => {
    await peer.request('initialize', { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
    const session = await peer.buildSession('/').start();
    const answered = session.prompt('go');
    for (let message = await session.nextUpdate(); message.kind !== 'stop'; message = await session.nextUpdate()) {
      received.push(message.notification);
    }
    await answered;
  });
  serving.close();

  expect(received).toStrictEqual([
    { sessionId: 's1', update: guardNoticeUpdate(continuation) },
    { sessionId: 's1', update: guardNoticeUpdate(exhaustion) },
  ]);
  expect(received.every(({ update }) => isGuardNotice(update))).toBe(true);
});
