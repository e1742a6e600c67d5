import { ActiveTodoReminderStore } from '../../src/reminder/store.ts';
import { composeRequest } from '../../src/reminder/compose-request.ts';
import { Ledger } from '../cost/ledger.ts';
import type { Cost } from '../cost/ledger.ts';
import { MODELS } from '../cost/models.ts';
import { POLICIES } from '../cost/policies.ts';
import { playGuard, playPolicy } from '../cost/session.ts';
import type { Outcome } from '../cost/session.ts';
import { todoList } from '../todo-list.ts';
import type { Todo } from '../todo-list.ts';

const number = (value: number): string => value.toLocaleString('en');

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map((_, column) => (column < 2 ? '---' : '---:')), ...rows]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

/** Extra calls of each policy, a column for each model. */
const headlineRows = new Map<string, string[]>();
const guardRows: string[][] = [];
for (const model of MODELS) {
  const outcomes: [string, Outcome][] = [
    ['**this guard**', await playGuard(model)],
    ...Object.entries(POLICIES).map(([name, policy]): [string, Outcome] => [name, playPolicy(model, policy)]),
  ];
  const without = outcomes.find(([name]) => name === 'no guard')?.[1];
  if (without === undefined) throw new TypeError('POLICIES must have "no guard".');
  for (const [name, outcome] of outcomes) {
    const extraCalls = number(outcome.calls - without.calls);
    headlineRows.set(name, [...(headlineRows.get(name) ?? []), `${extraCalls}${outcome.completed ? ' ✓' : ''}`]);
    guardRows.push([
      model.name,
      name,
      outcome.completed ? 'yes' : 'no',
      extraCalls,
      number(outcome.promptTokens - without.promptTokens),
      number(outcome.cacheMisses - without.cacheMisses),
      number(outcome.wrongInterruptions),
    ]);
  }
}

const reminderRows = Object.entries({
  'no reminder': playReminders('none'),
  '**this reminder**, each tool turn': playReminders('tail', 1),
  '**this reminder**, each third': playReminders('tail', 3),
  'in the system prompt, kept current': playReminders('system'),
}).map(([name, cost], _index, all): string[] => {
  const without = all[0]?.[1] ?? cost;
  return [
    name,
    number(cost.calls),
    number(cost.promptTokens - without.promptTokens),
    number(cost.cacheMisses),
    number(cost.uncachedTokens - without.uncachedTokens),
  ];
});

process.stdout.write(
  JSON.stringify({
    guard: table(
      [
        'model',
        'policy',
        'list completed',
        'extra calls',
        'extra prompt tokens',
        'extra cache misses',
        'wrong interruptions',
      ],
      guardRows,
    ),
    reminder: table(
      ['reminder', 'calls', 'extra prompt tokens', 'cache misses', 'extra tokens read anew'],
      reminderRows,
    ),
    headline: table(
      ['extra model calls', ...MODELS.map(({ name }) => name.replace(/:.*/, ''))],
      [...headlineRows].map(([name, calls]) => [name, ...calls]),
    ),
  }),
);

/** Forty requests with tool results; every fourth one carries a write of the list that completes another item. */
function playReminders(place: 'none' | 'tail' | 'system', every = 1): Cost {
  const ledger = new Ledger();
  const store = new ActiveTodoReminderStore({ every });
  const system = 'You are a coding agent. '.repeat(300);
  const history: string[] = ['Migrate the ten modules of this repository.'];
  let todos: Todo[] = todoList(10).map((todo) => ({ ...todo, status: 'pending' }));
  store.startChain('p1');
  for (let request = 0; request < 40; request++) {
    if (request % 4 === 0) {
      todos = todos.map((todo, index) => (index < request / 4 ? { ...todo, status: 'completed' } : todo));
      store.update('p1', todos);
    }
    const results = [`Result ${request}: ${'export function convert(module: Module): Converted { … } '.repeat(8)}`];
    const reminder = place === 'none' ? undefined : store.take('p1', { forced: place === 'system' });
    history.push(...(place === 'tail' ? composeRequest({ toolResults: results, reminder }) : results));
    ledger.add([place === 'system' ? `${system}\n${reminder ?? ''}` : system, ...history], request * 20);
    history.push(`Working on step ${request}. read_file({ "file_path": "src/module-${request}.ts" })`);
  }
  return ledger.cost;
}
