import { describe, expect, it } from 'vitest';
import { DaemonTodoStopGuard, readGuardOptions } from 'todo-stop-guard';
import type { GuardOptions } from 'todo-stop-guard';

const settings = { experimental: { todoStopGuard: true } };

describe('on or off', () => {
  it.each<[string, GuardOptions | undefined, boolean]>([
    ['without options', undefined, false],
    ['without settings', {}, false],
    ['with empty settings', { settings: {} }, false],
    ['with empty experimental settings', { settings: { experimental: {} } }, false],
    ['when the setting is false', { settings: { experimental: { todoStopGuard: false } } }, false],
    ['when the setting is true', { settings }, true],
    ['in the approval mode default', { settings, approvalMode: 'default' }, true],
    ['in the approval mode plan, taking no part', { settings, approvalMode: 'plan' }, true],
    ['when neither safe nor bare', { settings, safeMode: false, bare: false }, true],
  ])('[G1] %s', (_, options, on) => {
    expect(new DaemonTodoStopGuard(options).state.off).toBe(!on);
  });

  it.each<[string, GuardOptions]>([
    ['safe mode', { settings, safeMode: true }],
    ['bare mode', { settings, bare: true }],
    ['both', { settings, safeMode: true, bare: true }],
  ])('[G2] %s turns it off', (_, options) => {
    expect(readGuardOptions(options)).toEqual({ off: true });
  });

  it('[G2] the approval mode plan keeps it out of the game until the mode is left', () => {
    expect(readGuardOptions({ settings, approvalMode: 'plan' })).toMatchObject({ off: false, plan: true });
    expect(readGuardOptions({ settings, approvalMode: 'yolo' })).toMatchObject({ off: false, plan: false });
  });

  it('[G2] disableAllHooks does not turn it off', () => {
    const withHooksDisabled = { ...settings, disableAllHooks: true };
    expect(readGuardOptions({ settings: withHooksDisabled })).toMatchObject({ off: false });
  });

  it('[G4] a setting that changes later changes nothing in a running guard', () => {
    const changing = { experimental: { todoStopGuard: true } };
    const guard = new DaemonTodoStopGuard({ settings: changing });
    changing.experimental.todoStopGuard = false;
    guard.tell({ type: 'prompt_started', turn: 'one', origin: 'user', background: { tasks: [], notifications: [] } });
    expect(guard.state.off).toBe(false);
    expect(new DaemonTodoStopGuard({ settings: changing }).state.off).toBe(true);
  });

  it('[C9] a guard begins without a chain, and no option can give it one', () => {
    const state = readGuardOptions({ settings });
    expect(state).toEqual({
      off: false,
      maxAttempts: 2,
      chain: { status: 'idle', spent: 0 },
      turn: null,
      queuedPrompt: false,
      plan: false,
    });
    // @ts-expect-error -- no such option
    expect(() => readGuardOptions({ settings, state })).toThrow(TypeError);
  });
});

describe('malformed options', () => {
  it.each<[field: RegExp, options: object]>([
    [/options must be an object/, []],
    [/settings must be an object/, { settings: null }],
    [/settings must be an object/, { settings: [] }],
    [/settings must be an object/, { settings: 'on' }],
    [/settings\.experimental must be an object/, { settings: { experimental: null } }],
    [/settings\.experimental must be an object/, { settings: { experimental: true } }],
    [
      /settings\.experimental\.todoStopGuard must be true or false/,
      { settings: { experimental: { todoStopGuard: 'true' } } },
    ],
    [
      /settings\.experimental\.todoStopGuard must be true or false/,
      { settings: { experimental: { todoStopGuard: 1 } } },
    ],
    [
      /settings\.experimental\.todoStopGuard must be true or false/,
      { settings: { experimental: { todoStopGuard: null } } },
    ],
    [/safeMode must be true or false/, { settings, safeMode: 'no' }],
    [/bare must be true or false/, { settings, bare: 0 }],
    [/approvalMode must be/, { settings, approvalMode: ['plan'] }],
    [/safemode.*use .*safeMode/, { settings, safemode: true }],
  ])('[G5] throw an error that names the field: %s', (message, options) => {
    expect(() => new DaemonTodoStopGuard(options)).toThrow(TypeError);
    expect(() => new DaemonTodoStopGuard(options)).toThrow(message);
  });

  it('[G1] [G5] are an error even where the guard would be off', () => {
    const options: object = { safeMode: true, settings: { experimental: { todoStopGuard: 'on' } } };
    expect(() => new DaemonTodoStopGuard(options)).toThrow(/todoStopGuard/);
  });

  it.each([0, 11, -1, 1.5, NaN, Infinity, '2', null, 2n])('[B1] [G5] %s attempts are a RangeError', (maxAttempts) => {
    // @ts-expect-error -- most of them are no numbers
    const make = (): unknown => new DaemonTodoStopGuard({ settings, maxAttempts });
    expect(make).toThrow(RangeError);
    expect(make).toThrow(/maxAttempts/);
  });

  it.each([1, 2, 10])('[B1] %i attempts are allowed', (maxAttempts) => {
    expect(readGuardOptions({ settings, maxAttempts })).toMatchObject({ maxAttempts });
  });
});
