import { describe, expect, it } from 'vitest';
import type { GuardChain, GuardOn, StopStep } from 'todo-stop-guard/machine';
import { outcomeOf, parseTable } from './decision-table.ts';
import { EVENT_TYPES } from './parse-event.ts';
import { guardOn } from './scenario.ts';

const CHAINS: Readonly<Record<string, GuardChain>> = {
  idle: { status: 'idle', spent: 1 },
  armed: { status: 'armed', unfinishedCount: 2, spent: 1 },
  retry: { status: 'paused', unfinishedCount: 2, spent: 1, until: 'retry' },
  background: { status: 'paused', unfinishedCount: 2, spent: 1, until: 'background' },
  exhausted: { status: 'exhausted', unfinishedCount: 2 },
  stopped_hard: { status: 'suspended', reason: 'cancelled' },
  revoked: { status: 'suspended', reason: 'branched' },
};

const WITHOUT_A_TURN = `
  # event                                                  | status                        | decision                | chain             | turn
  two: prompt_started user                                 | all                           | admit new               | idle              | two working
  two: prompt_started retry, two: prompt_started continue  | armed                         | admit kept              | same              | two working
  two: prompt_started retry, two: prompt_started continue  | retry background              | admit kept              | armed 2 spent 1   | two working
  two: prompt_started retry, two: prompt_started continue  | idle exhausted stopped_hard revoked | admit new         | idle              | two working
  two: automatic_turn_requested related                    | idle armed exhausted stopped_hard | admit kept          | same              | two (automatic) working
  two: automatic_turn_requested related                    | retry background              | admit kept              | armed 2 spent 1   | two (automatic) working
  two: automatic_turn_requested related                    | revoked                       | admit new               | idle              | two (automatic) working
  two: automatic_turn_requested unrelated                  | idle armed exhausted stopped_hard revoked | admit new   | idle              | two (automatic) working
  two: automatic_turn_requested unrelated                  | retry                         | hold retry              | =
  two: automatic_turn_requested unrelated                  | background                    | hold background         | =

  turn_settled, turn_settled background                    | all                           | ignored stale_turn      | =
  todos_written 0, todos_written 2, todos_written 5        | all                           | ignored stale_turn      | =
  user_message_sent, hard_stopped token_limit, turn_failed | all                           | ignored stale_turn      | =
  model_stopped, tools_finished                            | all                           | ignored stale_turn      | =
  looked, looked userMessages, looked queuedPrompt         | all                           | ignored stale_turn      | =
  looked background, looked userMessages queuedPrompt      | all                           | ignored stale_turn      | =
  look_failed, stop_hooks_finished                         | all                           | ignored stale_turn      | =
  stop_hooks_finished blocked, prepared, prepare_failed    | all                           | ignored stale_turn      | =
  stream_opened                                            | all                           | ignored stale_turn      | =

  chain_ended rewound                                      | idle armed exhausted stopped_hard | noted               | suspended rewound | same
  chain_ended rewound                                      | retry background              | noted, released         | suspended rewound | same
  chain_ended rewound                                      | revoked                       | ignored suspended       | =
  approval_mode_changed plan                               | idle stopped_hard revoked     | noted                   | same              | same | plan
  approval_mode_changed plan                               | armed                         | noted                   | idle spent 1      | same | plan
  approval_mode_changed plan                               | retry background              | noted, released         | idle spent 1      | same | plan
  approval_mode_changed plan                               | exhausted                     | noted                   | exhausted 0       | same | plan
  approval_mode_changed yolo                               | all                           | ignored no_effect       | =
  queued_prompt_dropped                                    | all                           | ignored no_effect       | =
  background_ended                                         | background                    | noted, released         | armed 2 spent 1   | same
  background_ended                                         | all but background            | ignored no_effect       | =
`;

const IN_A_TURN = `
  # event                                                  | status                        | decision                | chain                 | turn
  two: prompt_started user, two: prompt_started retry      | all                           | admit new               | idle                  | two working
  two: prompt_started continue                             | all                           | admit new               | idle                  | two working
  two: automatic_turn_requested related                    | all                           | hold turn_live          | =
  two: automatic_turn_requested unrelated                  | all                           | hold turn_live          | =
  turn_settled                                             | all                           | noted, released         | same                  | no turn
  turn_settled background                                  | all but armed                 | noted, released         | same                  | no turn
  turn_settled background                                  | armed                         | noted, released         | background 2 spent 1  | no turn

  todos_written 0                                          | armed retry background        | noted                   | idle spent 1          | same
  todos_written 0                                          | exhausted                     | noted                   | exhausted 0           | same
  todos_written 0                                          | idle                          | ignored no_effect       | =
  todos_written 0, todos_written 2, todos_written 5        | stopped_hard revoked          | ignored suspended       | =
  todos_written 2                                          | idle                          | noted                   | armed 2 spent 1       | same
  todos_written 2                                          | armed retry background exhausted | ignored no_effect    | =
  todos_written 5                                          | idle armed                    | noted                   | armed 5 spent 1       | same
  todos_written 5                                          | retry                         | noted                   | retry 5 spent 1       | same
  todos_written 5                                          | background                    | noted                   | background 5 spent 1  | same
  todos_written 5                                          | exhausted                     | noted                   | exhausted 5           | same
  user_message_sent                                        | idle                          | noted                   | idle                  | same
  user_message_sent                                        | armed retry background exhausted | noted                | armed 2               | same
  user_message_sent                                        | stopped_hard revoked          | ignored suspended       | =
  hard_stopped token_limit                                 | all but stopped_hard revoked  | noted                   | suspended token_limit | same
  hard_stopped token_limit                                 | stopped_hard revoked          | ignored suspended       | =
  turn_failed                                              | armed                         | noted                   | retry 2 spent 1       | same
  turn_failed                                              | idle retry background exhausted | ignored no_effect     | =
  turn_failed                                              | stopped_hard revoked          | ignored suspended       | =

  chain_ended rewound                                      | all but revoked               | noted                   | suspended rewound     | same
  chain_ended rewound                                      | revoked                       | ignored suspended       | =
  approval_mode_changed plan                               | armed retry background        | noted                   | idle spent 1          | same | plan
  approval_mode_changed plan                               | exhausted                     | noted                   | exhausted 0           | same | plan
  approval_mode_changed plan                               | idle stopped_hard revoked     | noted                   | same                  | same | plan
  approval_mode_changed yolo, queued_prompt_dropped        | all                           | ignored no_effect       | =
  background_ended                                         | background                    | noted                   | armed 2 spent 1       | same
  background_ended                                         | all but background            | ignored no_effect       | =

  model_stopped                                            | armed                         | look                    | same                  | one looking before hooks
  model_stopped                                            | all but armed                 | run_stop_hooks          | same                  | one hooks sitting out
  tools_finished                                           | all                           | continue tool_results   | same                  | one continuing
  looked, looked userMessages, looked queuedPrompt         | all                           | ignored out_of_step     | =
  looked background, looked userMessages queuedPrompt      | all                           | ignored out_of_step     | =
  look_failed, stop_hooks_finished                         | all                           | ignored out_of_step     | =
  stop_hooks_finished blocked, prepared, prepare_failed    | all                           | ignored out_of_step     | =
  stream_opened                                            | all                           | ignored out_of_step     | =
`;

/** Named as they are told: what is asked, then what is in hand. */
const STEPS: Readonly<Record<string, StopStep>> = {
  working: { at: 'working' },
  guard_stream: { at: 'guard_stream' },
  stopped: { at: 'stopped' },
  look1: { at: 'looking', before: 'hooks', hand: 'nothing' },
  hooks: { at: 'hooks', sitsOut: false },
  hooks_alone: { at: 'hooks', sitsOut: true },
  look2: { at: 'looking', before: 'verdict', hand: 'nothing' },
  look2_hook: { at: 'looking', before: 'verdict', hand: 'hook_reason' },
  look2_tools: { at: 'looking', before: 'verdict', hand: 'tool_results' },
  prepare: { at: 'preparing', hand: 'nothing' },
  prepare_hook: { at: 'preparing', hand: 'hook_reason' },
  prepare_tools: { at: 'preparing', hand: 'tool_results' },
  look3: { at: 'looking', before: 'send', hand: 'nothing' },
  look3_hook: { at: 'looking', before: 'send', hand: 'hook_reason' },
  look3_tools: { at: 'looking', before: 'send', hand: 'tool_results' },
  send: { at: 'sending', hand: 'nothing' },
  send_hook: { at: 'sending', hand: 'hook_reason' },
  send_tools: { at: 'sending', hand: 'tool_results' },
  continuing: { at: 'continuing' },
};

/** Every step of the dialogue with an armed chain: two unfinished items, one of two attempts spent. */
const AT_A_STEP = `
  # event                                     | step                             | decision               | chain                 | turn
  two: prompt_started user                    | all                              | admit new              | idle                  | two working
  two: prompt_started retry                   | all                              | admit new              | idle                  | two working
  two: prompt_started continue                | all                              | admit new              | idle                  | two working
  prompt_started user, prompt_started retry   | all                              | ignored already_started | =
  automatic_turn_requested related            | all                              | ignored already_started | =
  automatic_turn_requested unrelated          | all                              | ignored already_started | =
  two: automatic_turn_requested related       | all                              | hold turn_live         | =
  two: automatic_turn_requested unrelated     | all                              | hold turn_live         | =

  turn_settled                                | all but send send_hook send_tools | noted, released       | same                  | no turn
  turn_settled                                | send send_hook send_tools        | noted, notice of continuation 2 of 2, 2 unfinished, released | armed 2 spent 2 | no turn
  turn_settled background                     | all but send send_hook send_tools | noted, released       | background 2 spent 1  | no turn
  turn_settled background                     | send send_hook send_tools        | noted, notice of continuation 2 of 2, 2 unfinished, released | background 2 spent 2 | no turn
  todos_written 0                             | all                              | noted                  | idle spent 1          | same
  todos_written 2                             | all                              | ignored no_effect      | =
  todos_written 5                             | all                              | noted                  | armed 5 spent 1       | same
  user_message_sent                           | working continuing               | noted                  | armed 2               | same
  user_message_sent                           | all but working continuing       | noted                  | armed 2               | one working
  hard_stopped token_limit                    | working guard_stream stopped     | noted                  | suspended token_limit | same
  hard_stopped token_limit                    | all but working guard_stream stopped | stop token_limit   | suspended token_limit | one stopped
  turn_failed                                 | working guard_stream stopped     | noted                  | retry 2 spent 1       | same
  turn_failed                                 | all but working guard_stream stopped | stop turn_failed   | retry 2 spent 1       | one stopped

  chain_ended rewound                         | all but send send_tools          | noted                  | suspended rewound     | same
  chain_ended rewound                         | send send_tools                  | noted                  | suspended rewound     | one stopped
  approval_mode_changed plan                  | all but send send_tools          | noted                  | idle spent 1          | same | plan
  approval_mode_changed plan                  | send send_tools                  | noted                  | idle spent 1          | one stopped | plan
  approval_mode_changed yolo                  | all                              | ignored no_effect      | =
  queued_prompt_dropped, background_ended     | all                              | ignored no_effect      | =

  model_stopped                               | working guard_stream             | look                   | same                  | one looking before hooks
  model_stopped, tools_finished               | stopped                          | ignored stopped        | =
  model_stopped, tools_finished               | all but working guard_stream stopped | ignored settling   | =
  tools_finished                              | working                          | continue tool_results  | same                  | one continuing
  tools_finished                              | guard_stream                     | look                   | same                  | one looking before verdict with tool_results

  looked                                      | look1                            | run_stop_hooks         | same                  | one hooks
  looked                                      | look2                            | prepare                | same                  | one preparing
  looked                                      | look2_hook                       | prepare                | same                  | one preparing with hook_reason
  looked                                      | look2_tools                      | prepare                | same                  | one preparing with tool_results
  looked                                      | look3                            | send guard_prompt (2 of 2, asks for 2, last call) | same | one sending
  looked                                      | look3_hook                       | send stop_hook_reason + guard_prompt (2 of 2, asks for 2, last call) | same | one sending with hook_reason
  looked                                      | look3_tools                      | send tool_results + guard_prompt (2 of 2, asks for 2, last call) | same | one sending with tool_results
  looked background                           | look1                            | run_stop_hooks         | same                  | one hooks
  looked background                           | look2 look2_tools look3 look3_tools | stop background     | same                  | one stopped
  looked background                           | look2_hook look3_hook            | continue stop_hook_reason | same               | one continuing
  looked queuedPrompt                         | look1 look2 look2_hook look2_tools look3 look3_hook look3_tools | stop queued_prompt | same | one stopped | queued prompt
  looked userMessages                         | look1 look2 look2_hook look3 look3_hook | continue user_messages | armed 2        | one continuing
  looked userMessages                         | look2_tools look3_tools          | continue tool_results + user_messages | armed 2 | one continuing
  looked userMessages queuedPrompt            | look1 look2 look2_hook look3 look3_hook | continue user_messages | armed 2        | one continuing | queued prompt
  looked userMessages queuedPrompt            | look2_tools look3_tools          | continue tool_results + user_messages | armed 2 | one continuing | queued prompt
  look_failed                                 | look1                            | run_stop_hooks         | same                  | one hooks sitting out
  look_failed                                 | look2 look2_tools look3 look3_tools | stop look_failed    | same                  | one stopped
  look_failed                                 | look2_hook look3_hook            | continue stop_hook_reason | same               | one continuing
  looked, looked background, looked queuedPrompt, looked userMessages, looked userMessages queuedPrompt, look_failed | stopped | ignored stopped | =
  looked, looked background, looked queuedPrompt, looked userMessages, looked userMessages queuedPrompt, look_failed | all but stopped look1 look2 look2_hook look2_tools look3 look3_hook look3_tools | ignored out_of_step | =

  stop_hooks_finished                         | hooks                            | look                   | same                  | one looking before verdict
  stop_hooks_finished                         | hooks_alone                      | stop look_failed       | same                  | one stopped
  stop_hooks_finished blocked                 | hooks                            | look                   | same                  | one looking before verdict with hook_reason
  stop_hooks_finished blocked                 | hooks_alone                      | continue stop_hook_reason | same               | one continuing
  stop_hooks_finished, stop_hooks_finished blocked | stopped                     | ignored stopped        | =
  stop_hooks_finished, stop_hooks_finished blocked | all but stopped hooks hooks_alone | ignored out_of_step | =

  prepared                                    | prepare                          | look                   | same                  | one looking before send
  prepared                                    | prepare_hook                     | look                   | same                  | one looking before send with hook_reason
  prepared                                    | prepare_tools                    | look                   | same                  | one looking before send with tool_results
  prepare_failed                              | prepare prepare_tools            | stop prepare_failed    | suspended prepare_failed | one stopped
  prepare_failed                              | prepare_hook                     | continue stop_hook_reason | suspended prepare_failed | one continuing
  prepared, prepare_failed                    | stopped                          | ignored stopped        | =
  prepared, prepare_failed                    | all but stopped prepare prepare_hook prepare_tools | ignored out_of_step | =

  stream_opened                               | send send_tools                  | noted, notice of continuation 2 of 2, 2 unfinished | armed 2 spent 2 | one guard_stream
  stream_opened                               | send_hook                        | noted, notice of continuation 2 of 2, 2 unfinished | armed 2 spent 2 | one working
  stream_opened                               | continuing                       | noted                  | same                  | one working
  stream_opened                               | stopped                          | ignored stopped        | =
  stream_opened                               | all but send send_tools send_hook continuing stopped | ignored out_of_step | =
`;

function inTurn(chain: GuardChain, stop: StopStep): GuardOn {
  return { ...guardOn(), chain, turn: { id: 'one', automatic: false, stop } };
}

function statesByName<Value>(
  values: Readonly<Record<string, Value>>,
  make: (value: Value) => GuardOn,
): Map<string, GuardOn> {
  return new Map(Object.entries(values).map(([name, value]) => [name, make(value)]));
}

const ARMED: GuardChain = { status: 'armed', unfinishedCount: 2, spent: 1 };

describe.each([
  [
    '[C1] [C2] [C4] [C5] [C6] [Q2] every status without a turn',
    WITHOUT_A_TURN,
    statesByName(CHAINS, (chain) => ({ ...guardOn(), chain })),
  ],
  [
    '[C3] [H1] [H2] [H3] [T3] [T6] every status in a turn',
    IN_A_TURN,
    statesByName(CHAINS, (chain) => inTurn(chain, { at: 'working' })),
  ],
  [
    '[O1] [O2] [O3] [O4] [O5] [O6] [O7] [O8] [O9] [B2] every step',
    AT_A_STEP,
    statesByName(STEPS, (stop) => inTurn(ARMED, stop)),
  ],
])('%s', (_, table, states) => {
  const cells = parseTable(table, [...states.keys()]);
  const events = new Set(cells.map(({ event }) => event));

  it('has every type of event, with every event in every place, once', () => {
    expect(new Set([...events].map((event) => event.replace(/^\w+: /, '').split(' ')[0]))).toEqual(
      new Set(EVENT_TYPES),
    );
    const combinations = [...events].flatMap((event) => [...states.keys()].map((where) => `${event} @ ${where}`));
    expect(cells.map(({ event, where }) => `${event} @ ${where}`).sort()).toEqual(combinations.sort());
  });

  it.each([...states])('is what the machine does: %s', (where, state) => {
    const row = cells.filter((cell) => cell.where === where);
    const expected = row.map(({ event, outcome }) => `${event} | ${outcome}`);
    expect(row.map(({ event }) => `${event} | ${outcomeOf(state, event)}`)).toEqual(expected);
  });
});
