import { expect, test } from 'vitest';
import { DaemonTodoStopGuard } from 'todo-stop-guard';
import { observed, ON } from '../guard/session.ts';
import type { Door } from './doors.ts';
import { fuzz } from './fuzz.ts';

const INPUTS = 20_000;

test.each([1, 2_026])(
  '[T7] [T4] [G5] [D1] [N6] [R7] no hostile input throws, arms, forges or stays (seed %i)',
  (seed) => {
    expect(fuzz(INPUTS / 2, seed)).toMatchObject({ inputs: INPUTS / 2, wrongs: [] });
  },
);

test('the same seed gives the same run', () => {
  expect(fuzz(500, 7)).toEqual(fuzz(500, 7));
});

test('a door that throws, errs or grows is found out', () => {
  const kept = { size: 0, sizeMax: 1 };
  const doors: readonly Door[] = [
    {
      name: 'throws',
      feed: () => {
        throw new Error('here');
      },
      kept: () => kept,
    },
    { name: 'errs', feed: () => 'armed', kept: () => kept },
    { name: 'grows', feed: () => null, kept: () => ({ ...kept, size: 2 }) },
  ];
  const { wrongs } = fuzz(3, 1, doors);
  expect(wrongs.map((wrong) => wrong.split('\n')[0])).toEqual([
    'input 0 at the door "throws": it threw Error: here',
    'input 1 at the door "errs": armed',
    'input 2 at the door "grows": 2 is kept, at most 1 may be',
  ]);
});

test('[T7] a million items neither arm nor stay', () => {
  const guard = new DaemonTodoStopGuard(ON);
  guard.tell({ type: 'prompt_started', turn: 'one', origin: 'user', background: { tasks: [], notifications: [] } });
  const item = { id: '1', content: 'x', status: 'pending' };
  const result = { type: 'todo_list', todos: new Array(1_000_000).fill(item) };
  const before = guard.state;
  expect(guard.observeTodoResult(observed({ result }))).toEqual({ kind: 'ignored', reason: 'not_a_todo_list' });
  expect(guard.state).toBe(before);
});
