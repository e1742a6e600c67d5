import { initialGuardState, isReminder, noticeText } from 'todo-stop-guard';
import pc from 'picocolors';
import { Slots } from '../host/slots.ts';
import type { SessionSurface } from '../host/surface.ts';
import type { TurnResult } from '../host/turn.ts';
import { narrate } from './narration.ts';
import type { TypedLines } from './typed-lines.ts';

const LABEL_WIDTH = 9;
const SHOWN_CHARS_MAX = 400;
const MARKS = { pending: '☐', in_progress: '◐', completed: '☑' } as const;

/** A session in a terminal: everything that happens is a line with a word in front that says who does it. */
export class TerminalSurface implements SessionSurface {
  readonly #write: (text: string) => void;
  readonly #lines: Pick<TypedLines, 'drain' | 'ask'>;
  readonly #turnEnded: (result: TurnResult) => void;
  /** The terminal has room for one question. */
  readonly #questions = new Slots(1);
  #midText = false;
  #lastHeld = '';

  /**
   * @param write - takes what is to appear in the terminal.
   * @param lines - what is typed.
   * @param turnEnded - called after each turn, once it was shown.
   */
  constructor(
    write: (text: string) => void,
    lines: Pick<TypedLines, 'drain' | 'ask'>,
    turnEnded: (result: TurnResult) => void,
  ) {
    this.#write = write;
    this.#lines = lines;
    this.#turnEnded = turnEnded;
  }

  /** A line with a label. Further lines of the text are indented under the first. */
  say(label: string, text: string, colour: (text: string) => string = (plain) => plain): void {
    if (this.#midText) this.#write('\n');
    this.#midText = false;
    const [first = '', ...rest] = text.split('\n').map((line) => colour(line));
    const indented = rest.map((line) => ' '.repeat(LABEL_WIDTH + 1) + line);
    this.#write(`${[pc.bold(colour(label.padStart(LABEL_WIDTH))) + ' ' + first, ...indented].join('\n')}\n`);
  }

  turnStarted: SessionSurface['turnStarted'] = ({ automatic, text }) => {
    this.#write('\n');
    this.say(automatic ? 'by itself' : 'you', shorten(text), pc.cyan);
  };

  text: SessionSurface['text'] = (delta) => {
    if (!this.#midText) this.#write(`${pc.bold('model'.padStart(LABEL_WIDTH))} `);
    this.#midText = true;
    this.#write(delta.replaceAll('\n', `\n${' '.repeat(LABEL_WIDTH + 1)}`));
  };

  toolStarted: SessionSurface['toolStarted'] = ({ name, args, bySubAgent }) => {
    // The list is shown as a list.
    const shown = name === 'todo_write' ? '' : shorten(oneLine(JSON.stringify(args)));
    this.say(bySubAgent ? 'sub-agent' : 'tool', `${name} ${shown}`, pc.blue);
  };

  toolFinished: SessionSurface['toolFinished'] = ({ name }, { succeeded, text }) => {
    if (name === 'todo_write' && succeeded) return;
    this.say('', shorten(text), succeeded ? pc.dim : pc.red);
  };

  plan: SessionSurface['plan'] = (todos) => {
    this.say('', todos.map(({ content, status }) => `${MARKS[status]} ${content}`).join('\n'), pc.blue);
  };

  notice: SessionSurface['notice'] = (notice) => {
    this.say('notice', noticeText(notice), pc.magenta);
  };

  decided: SessionSurface['decided'] = (told, decision, state) => {
    // A turn that waits is asked for again and again; it is told once, by `held`.
    if (decision.kind === 'hold') return;
    const line = narrate(told, decision, state);
    if (line !== null) this.say('guard', line, pc.yellow);
  };

  requestSent: NonNullable<SessionSurface['requestSent']> = ({ reminder, guardPrompt, stopHookReason, midTurn }) => {
    if (reminder !== undefined && isReminder(reminder)) {
      const items = reminder.split('\n').filter((line) => line.startsWith('- '));
      this.say('reminder', `after the tool results, what is still open:\n${items.join('\n')}`, pc.green);
    }
    if (stopHookReason !== null) this.say('hook', stopHookReason, pc.yellow);
    if (guardPrompt !== undefined) this.say('to model', guardPrompt, pc.dim);
    for (const message of midTurn) this.say('you', `${message} ${pc.dim('(while the turn runs)')}`, pc.cyan);
  };

  permission: SessionSurface['permission'] = ({ name, args }, signal) =>
    this.#questions.run(async () => {
      signal.throwIfAborted();
      this.say('allow?', `${name} ${shorten(JSON.stringify(args))}  [y]es, [n]o, [c]ancel the turn`, pc.red);
      const answer = await this.#lines.ask(signal);
      if (signal.aborted || answer === 'c' || answer === 'cancel') return 'cancelled';
      return answer === 'y' || answer === 'yes' ? 'allowed' : 'rejected';
    });

  drain: SessionSurface['drain'] = () => Promise.resolve(this.#lines.drain());

  compacted: SessionSurface['compacted'] = (error) => {
    if (error === null) this.say('host', 'the history was summarised');
    else this.say('host', 'the history could not be summarised', pc.red);
  };

  held: SessionSurface['held'] = (text, reason) => {
    if (this.#lastHeld === text + reason) return;
    this.#lastHeld = text + reason;
    const line = narrate('automatic_turn_requested', { kind: 'hold', reason }, HOLDING);
    this.say('guard', `${line ?? reason} — ${shorten(oneLine(text))}`, pc.yellow);
  };

  dropped: SessionSurface['dropped'] = ({ held, reason }) => {
    if (reason === 'queue_full') this.say('host', `too many turns wait; dropped: ${shorten(held.payload)}`, pc.red);
  };

  turnEnded: SessionSurface['turnEnded'] = (_, result) => {
    const { promptTokens, completionTokens } = result.usage;
    const tokens = pc.dim(`${promptTokens} + ${completionTokens} tokens`);
    if (result.kind === 'failed') this.say('error', result.error.message, pc.red);
    this.say('host', `the turn is over${'reason' in result ? ` (${result.reason})` : ''}; ${tokens}`);
    this.#turnEnded(result);
  };

  followUp: SessionSurface['followUp'] = (suggestion) => {
    this.say('maybe', suggestion, pc.dim);
  };
}

/** Any state that is on: a hold is explained by its reason alone. */
const HOLDING = initialGuardState({ enabled: true });

function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ');
}

function shorten(text: string): string {
  return text.length <= SHOWN_CHARS_MAX ? text : `${text.slice(0, SHOWN_CHARS_MAX)} …`;
}
