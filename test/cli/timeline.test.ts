import pc from 'picocolors';
import { describe, expect, test } from 'vitest';
import { readTrace, replayTrace } from 'todo-stop-guard/trace';
import type { Trace } from 'todo-stop-guard/trace';
import { page } from '../../src/cli/page.ts';
import { summarise } from '../../src/cli/summary.ts';
import { timeline } from '../../src/cli/timeline.ts';

const HEADER = '{"trace":"todo-stop-guard","format":1,"library":"0.0.9","guard":{"enabled":true,"plan":true}}';
const HOSTILE = '\u001b[31m\u202e</td><script>alert(1)</script>\n';

function trace(...lines: readonly unknown[]): Trace {
  return readTrace([HEADER, ...lines.map((line) => JSON.stringify(line))].join('\n'));
}

const started = {
  event: { type: 'prompt_started', turn: 't', origin: 'user' },
  decision: { kind: 'admit', chain: 'new' },
};
const departing = { event: { type: 'turn_settled', turn: 't', background: false }, decision: { kind: HOSTILE } };
const hostile = {
  event: { type: 'approval_mode_changed', mode: HOSTILE },
  decision: { kind: 'noted' },
};

function asText(read: Trace): string {
  return timeline(read, replayTrace(read), pc.createColors(false));
}

describe('the timeline', () => {
  test('says of each step what was told, what was decided and what that means', () => {
    const text = asText(trace(started, { refused: 'not_live' }));
    expect(text).toBe(
      [
        'Recorded by todo-stop-guard 0.0.9: guard on, plan mode.',
        '',
        't',
        '    2  prompt_started origin=user  [idle]',
        '       admit: Running the turn in a new work chain.',
        '    3  todo result  [idle]',
        '       ignored not_live: Ignored: the result was replayed or restored.',
        '',
        'Replays to the same decisions: 2 steps.',
        '',
      ].join('\n'),
    );
  });

  test('says where a trace departs, and with which version it would not', () => {
    const text = asText(trace(started, departing));
    expect(text).toContain('Departs at line 3.\n');
    expect(text).toContain('This version decides: {"kind":"noted","released":true}\n');
    expect(text).toContain('Replay it with the version that recorded it: npx todo-stop-guard@0.0.9.\n');
  });

  test('a version that is more than a version is no trace', () => {
    expect(() => readTrace(HEADER.replace('0.0.9', '1; rm -rf .'))).toThrow('Line 1: library must be a version.');
  });

  test('a guard that was off is called so', () => {
    expect(summarise(readTrace(HEADER.replace('true', 'false')))).toContain(': guard off.');
  });

  test('nothing of a trace can steer the terminal', () => {
    for (const read of [trace(hostile), trace(started, departing)]) {
      // eslint-disable-next-line no-control-regex -- these are what must not come through
      expect(asText(read)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/);
    }
  });
});

describe('the page', () => {
  test('is one document that loads and runs nothing', async () => {
    const read = trace(started);
    const document = await page(read, replayTrace(read));
    expect(document).toMatch(/^<!doctype html>/);
    expect(document).toContain("default-src 'none'");
    expect(document).not.toMatch(/<script|<link|<img|\ssrc=|href=|url\(|@import/);
    expect(document).toContain('Running the turn in a new work chain.');
  });

  test('escapes everything that stands in a trace', async () => {
    for (const read of [trace(hostile), trace(started, departing)]) {
      const document = await page(read, replayTrace(read));
      expect(document).not.toContain('<script');
      expect(document).toContain('&lt;script&gt;');
    }
  });

  test('marks the line that departs', async () => {
    const read = trace(started, departing);
    const document = await page(read, replayTrace(read));
    expect(document).toContain('class="verdict departs"');
    expect(document.match(/<tr class="departs">/g)).toHaveLength(1);
  });
});
