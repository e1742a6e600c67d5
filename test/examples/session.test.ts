import { expect, test } from 'vitest';
import { addedBy, startHarness, todoWrite } from './session-harness.ts';

const OPEN = { tool_calls: [todoWrite({ a: 'pending', b: 'pending' })] };

test('[B1] [B8] [N4] a model that stops twice more is continued twice, and exhaustion is said once', async () => {
  const { session, surface, model } = await startHarness({
    responses: [OPEN, { text: 'Done?' }, { text: 'Done!' }, { text: 'Really.' }],
  });
  const result = await session.prompt({ text: 'Do it.' });
  expect(result).toMatchObject({ kind: 'ended', reason: 'exhausted' });
  expect(model.requests).toHaveLength(4);
  expect(surface.notices.map(({ about, attempt }) => `${about} ${attempt}`)).toEqual([
    'continuation 1',
    'continuation 2',
    'exhaustion 2',
  ]);
  expect(addedBy(model.requests[2]).map(({ text }) => text.slice(0, 20))).toEqual(['[Todo Stop Guard] 2 ']);
  expect(result.usage).toEqual({ promptTokens: 80, completionTokens: 20 });
});
