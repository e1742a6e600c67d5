import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type DrainAnswer,
  drainAnswered,
  drainAsked,
  type DrainLedger,
  NO_DRAINS,
  readDrainError,
  takeDrained,
} from 'todo-stop-guard/acp';

const says = (messages: readonly string[], queued = false): DrainAnswer => ({
  ok: true,
  messages,
  hasQueuedPrompt: queued,
});

/** A drain that timed out: asked, and taken without an answer. */
function timedOut(ledger: DrainLedger, request: object): DrainLedger {
  return takeDrained(drainAsked(ledger, request), request).ledger;
}

describe('a drain that is answered in time', () => {
  it('[D3] [F27] gives its messages and its snapshot, once', () => {
    const request = {};
    const answered = drainAnswered(drainAsked(NO_DRAINS, request), request, says(['a', 'b'], true));
    const taken = takeDrained(answered, request);
    expect(taken).toEqual({ ledger: [], messages: ['a', 'b'], hasQueuedPrompt: true });
    expect(takeDrained(taken.ledger, request)).toEqual({ ledger: [], messages: [], hasQueuedPrompt: null });
  });

  it('[O8] knows nothing of the queue when it failed, and keeps what could be read', () => {
    const request = {};
    const asked = drainAsked(NO_DRAINS, request);
    const malformed: DrainAnswer = { ok: false, error: 'malformed', messages: ['a'] };
    expect(takeDrained(drainAnswered(asked, request, malformed), request)).toEqual({
      ledger: [],
      messages: ['a'],
      hasQueuedPrompt: null,
    });
    expect(takeDrained(drainAnswered(asked, request, readDrainError(new Error())), request)).toEqual({
      ledger: [],
      messages: [],
      hasQueuedPrompt: null,
    });
  });
});

describe('a drain that times out', () => {
  it('[D3] [F27] says so, and is waited for no longer', () => {
    const request = {};
    expect(takeDrained(drainAsked(NO_DRAINS, request), request)).toEqual({
      ledger: [{ request, late: true, answer: null }],
      messages: [],
      hasQueuedPrompt: null,
    });
  });

  it('[D3] [F27] opens the next drain with its messages, and its snapshot is thrown away', () => {
    const [late, next] = [{}, {}];
    const waiting = drainAsked(timedOut(NO_DRAINS, late), next);
    const both = drainAnswered(drainAnswered(waiting, next, says(['c'])), late, says(['a', 'b'], true));
    expect(takeDrained(both, next)).toEqual({ ledger: [], messages: ['a', 'b', 'c'], hasQueuedPrompt: false });
  });

  it('[D3] throws its snapshot away also when it is taken for a second time', () => {
    const late = {};
    const answered = drainAnswered(timedOut(NO_DRAINS, late), late, says(['a'], true));
    expect(takeDrained(answered, late)).toEqual({ ledger: [], messages: ['a'], hasQueuedPrompt: null });
  });

  it('[D3] restores between two looks, in the order of asking and not of answering', () => {
    const [first, second, next] = [{}, {}, {}];
    let ledger = timedOut(timedOut(NO_DRAINS, first), second);
    ledger = drainAnswered(ledger, second, says(['b']));
    ledger = drainAnswered(ledger, first, says(['a']));
    ledger = drainAnswered(drainAsked(ledger, next), next, says(['c'], true));
    expect(takeDrained(ledger, next)).toEqual({ ledger: [], messages: ['a', 'b', 'c'], hasQueuedPrompt: true });
  });

  it('[D3] [F28] does not withhold the words of a user whose client is always slow', () => {
    const [first, second] = [{}, {}];
    const answered = drainAnswered(timedOut(NO_DRAINS, first), first, says(['stop']));
    const taken = takeDrained(drainAsked(answered, second), second);
    expect(taken.messages).toEqual(['stop']);
    expect(taken.hasQueuedPrompt).toBeNull();
    expect(taken.ledger).toEqual([{ request: second, late: true, answer: null }]);
  });

  it('[D3] closes when it fails late', () => {
    const late = {};
    const failed = drainAnswered(timedOut(NO_DRAINS, late), late, readDrainError(new Error('connection closed')));
    expect(takeDrained(failed, {})).toEqual({ ledger: [], messages: [], hasQueuedPrompt: null });
  });
});

describe('an answer that has no place', () => {
  const request = {};
  const answer = says(['not yours'], true);

  it('[D3] is dropped whole after disposal', () => {
    expect(drainAnswered(NO_DRAINS, request, answer)).toBe(NO_DRAINS);
  });

  it('[D3] [F36] is dropped whole when another session asked, even one that looks the same', () => {
    const ofThisSession = timedOut(NO_DRAINS, {});
    expect(drainAnswered(ofThisSession, request, answer)).toBe(ofThisSession);
  });

  it('[D3] is dropped when the request has been answered before', () => {
    const answered = drainAnswered(timedOut(NO_DRAINS, request), request, says(['once']));
    expect(drainAnswered(answered, request, answer)).toBe(answered);
    const { ledger } = takeDrained(answered, request);
    expect(drainAnswered(ledger, request, answer)).toBe(ledger);
  });
});

it('[D3] one request is asked once', () => {
  const request = {};
  const asked = drainAsked(NO_DRAINS, request);
  expect(() => drainAsked(asked, request)).toThrow(TypeError);
  expect(asked).toHaveLength(1);
});

/** A client that numbers its messages: drain n is answered with messages of its own, whenever that happens. */
type Move = { readonly does: 'ask' | 'take' | 'dispose' } | { readonly does: 'answer'; readonly which: number };

const moves = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constant<Move>({ does: 'ask' }) },
    { weight: 4, arbitrary: fc.constant<Move>({ does: 'take' }) },
    { weight: 6, arbitrary: fc.nat(9).map((which): Move => ({ does: 'answer', which })) },
    { weight: 1, arbitrary: fc.constant<Move>({ does: 'dispose' }) },
  ),
  { maxLength: 60 },
);

it('[D3] [F27] loses, repeats and swaps no message, whatever the order of looks and answers', () => {
  fc.assert(
    fc.property(moves, (sequence) => {
      let ledger = NO_DRAINS;
      let life = 0;
      const requests: { readonly life: number; answered: boolean }[] = [];
      const expected = new Set<string>(); // answered in this life, not yet taken
      const messagesOf = (index: number): string[] => [`${index}a`, `${index}b`];

      for (const move of sequence) {
        if (move.does === 'dispose') {
          ledger = NO_DRAINS;
          life += 1;
          expected.clear();
        } else if (move.does === 'ask') {
          const request = { life, answered: false };
          requests.push(request);
          ledger = drainAsked(ledger, request);
        } else if (move.does === 'answer') {
          const request = requests[move.which];
          if (request === undefined) continue;
          if (request.life === life && !request.answered) messagesOf(move.which).forEach((m) => expected.add(m));
          request.answered = true;
          ledger = drainAnswered(ledger, request, says(messagesOf(move.which), true));
        } else {
          const taken = takeDrained(ledger, requests.at(-1) ?? {});
          ledger = taken.ledger;
          const byAsking = (a: string, b: string): number => parseInt(a, 10) - parseInt(b, 10) || a.localeCompare(b);
          expect(taken.messages).toEqual([...expected].sort(byAsking));
          expected.clear();
        }
      }
      const unanswered = requests.filter((request) => request.life === life && !request.answered);
      expect(ledger.filter((drain) => drain.answer === null).map((drain) => drain.request)).toEqual(unanswered);
    }),
    { numRuns: 500 },
  );
});
