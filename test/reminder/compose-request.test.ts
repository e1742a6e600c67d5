import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { composeRequest } from '../../src/reminder/compose-request.ts';
import type { RequestPieces } from '../../src/reminder/compose-request.ts';
import { renderReminder } from '../../src/reminder/render.ts';

const reminder = renderReminder({ count: 1, first: [{ content: 'a', status: 'pending' }] }, 4_000);
const olderReminder = renderReminder({ count: 1, first: [{ content: 'b', status: 'in_progress' }] }, 4_000);

const anyPieces: fc.Arbitrary<RequestPieces<string>> = fc.record({
  toolResults: fc.array(fc.constantFrom('result', 'another result', olderReminder), { maxLength: 4 }),
  reminder: fc.constantFrom(undefined, reminder),
  forced: fc.boolean(),
  stopHookReason: fc.constantFrom(undefined, 'hook reason'),
  guardPrompt: fc.constantFrom(undefined, 'guard prompt'),
  userMessages: fc.array(fc.constantFrom('please', 'and this')),
});

test('[R2] the order is function responses, reminder, hook reason, guard prompt, the words of the user', () => {
  expect(
    composeRequest({
      userMessages: ['user 1', 'user 2'],
      guardPrompt: 'guard',
      stopHookReason: 'hook',
      reminder,
      toolResults: ['result 1', 'result 2'],
    }),
  ).toEqual(['result 1', 'result 2', reminder, 'hook', 'guard', 'user 1', 'user 2']);
});

test('[R2] what there is not is left out, and nothing makes an empty request', () => {
  expect(composeRequest({})).toEqual([]);
  expect(composeRequest({ toolResults: ['result'] })).toEqual(['result']);
  expect(composeRequest({ guardPrompt: 'guard', userMessages: ['user'] })).toEqual(['guard', 'user']);
});

test('[R1] a request without function responses carries a reminder only when it is forced', () => {
  expect(composeRequest({ reminder, guardPrompt: 'guard' })).toEqual(['guard']);
  expect(composeRequest({ reminder, guardPrompt: 'guard', forced: true })).toEqual([reminder, 'guard']);
});

describe('[R8] composing adds no reminder where one is', () => {
  test('nor does composing again what was composed', () => {
    fc.assert(
      fc.property(anyPieces, (pieces) => {
        const request = composeRequest(pieces);
        expect(composeRequest({ toolResults: request, reminder, forced: pieces.forced ?? false })).toEqual(
          request.includes(reminder) || request.includes(olderReminder) || (request.length === 0 && !pieces.forced)
            ? request
            : [...request, reminder],
        );
        const once = composeRequest({ toolResults: request, reminder });
        expect(composeRequest({ toolResults: once, reminder })).toEqual(once);
      }),
    );
  });

  test('whatever the parts of the host are', () => {
    const textParts = [{ type: 'result', id: 7 }, { type: 'text', text: reminder }, null, { text: 1 }];
    expect(composeRequest<unknown>({ toolResults: textParts, reminder: { type: 'text', text: reminder } })).toEqual(
      textParts,
    );
    const ownParts = [{ kind: 'reminder' }];
    expect(
      composeRequest({ toolResults: ownParts, reminder: { kind: 'reminder' } }, ({ kind }) => kind === 'reminder'),
    ).toEqual(ownParts);
  });

  test('a part that is no reminder does not keep one away', () => {
    const toolResults = [{ text: 'result' }, { text: 1 }, { other: true }, null];
    expect(composeRequest<unknown>({ toolResults, reminder: { text: reminder } })).toEqual([
      ...toolResults,
      { text: reminder },
    ]);
  });
});

test('[R2] [F40] nothing that was there is touched: the parts are the same, in a new list', () => {
  fc.assert(
    fc.property(anyPieces, (pieces) => {
      const toolResults = Object.freeze((pieces.toolResults ?? []).map((text) => Object.freeze({ text })));
      const request = composeRequest({ toolResults, reminder: Object.freeze({ text: reminder }) });
      expect(request).not.toBe(toolResults);
      toolResults.forEach((part, index) => {
        expect(request[index]).toBe(part);
      });
    }),
  );
});

test('[R2] [F41] the reminder is a part beside the function responses, never a message of its own kind', () => {
  const toolResults = [{ type: 'text' as const, text: 'result' }];
  expect(composeRequest({ toolResults, reminder: { type: 'text' as const, text: reminder } })).toEqual([
    { type: 'text', text: 'result' },
    { type: 'text', text: reminder },
  ]);
});
