import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pc from 'picocolors';
import type { CronJob, HostFlags } from '../host/flags.ts';
import { hostCommand } from '../host/flags.ts';
import type { Model } from '../host/model.ts';
import { unlessAborted } from '../host/unless-aborted.ts';
import { TerminalSession } from './terminal-session.ts';

/** What the demo is played on. */
export interface DemoStage {
  readonly model: Model;
  /** An empty directory. */
  readonly cwd: string;
  readonly write: (text: string) => void;
  /** Breaks the demo off. */
  readonly signal: AbortSignal;
}

/** The script fits these. */
const DEMO_FLAGS = hostCommand('demo', '')
  .parse(['--todo-stop-guard', '--approval-mode', 'yolo'], { from: 'user' })
  .opts<HostFlags>();

const TIDY: CronJob = { id: 'todo-comments', every_seconds: 1, prompt: 'Cron: are there TODO comments in src?' };

/**
 * Plays the whole session: a list that is continued, interrupted by the user and completed; a task that cannot be
 * finished; and one that waits for a build while a cron job waits for it.
 */
export async function playDemo(stage: DemoStage): Promise<void> {
  await prepareProject(stage.cwd);
  await playFirstAct(stage);
  await playSecondAct(stage);
  stage.write(
    `\n${pc.bold('That was all.')} With OPENAI_BASE_URL set, npm run demo -- --prompt "…" runs a real model.\n`,
  );
}

/** A small project with a test that fails until the work is done. */
async function prepareProject(cwd: string): Promise<void> {
  await mkdir(join(cwd, 'src'));
  await writeFile(join(cwd, 'package.json'), `${JSON.stringify({ name: 'greeter', type: 'module' })}\n`);
  await writeFile(join(cwd, 'src', 'index.js'), '// TODO: export greet\n');
}

async function playFirstAct(stage: DemoStage): Promise<void> {
  title(stage, 'Act one', 'The model writes a list, and stops too early. The guard continues it, twice at most.');
  await perform(stage, [], async (session) => {
    typeWhen(session, 'write_file', 'Greet in French too, please.');
    await session.prompt({ text: 'Add a greet function to src, with a test that passes.', origin: 'user' });
    explain(stage, 'Next, a task that the model cannot finish: the guard gives up, and says so.');
    await session.prompt({ text: 'Raise the version and publish the package.', origin: 'user' });
  });
}

async function playSecondAct(stage: DemoStage): Promise<void> {
  title(
    stage,
    'Act two',
    'The work waits for a build in the background. A cron job is due meanwhile, and has to wait for the work.',
  );
  await perform(stage, [TIDY], async (session) => {
    const cronHasRun = untilTurnEnds(session, TIDY.prompt);
    await session.prompt({ text: 'Build the package and tell me how large it is.', origin: 'user' });
    await cronHasRun;
  });
}

/** Runs an act in a session of its own, and ends everything that the session has begun. */
async function perform(
  stage: DemoStage,
  cronJobs: readonly CronJob[],
  play: (session: TerminalSession) => Promise<void>,
): Promise<void> {
  const session = new TerminalSession({ ...stage, flags: DEMO_FLAGS, cronJobs }, stage.write);
  try {
    await unlessAborted(play(session), stage.signal);
  } finally {
    await session.close();
  }
}

/** Resolves when a turn that was opened by this text has ended. */
function untilTurnEnds({ surface }: TerminalSession, text: string): Promise<void> {
  const { turnEnded } = surface;
  return new Promise((resolve) => {
    surface.turnEnded = (turn, result) => {
      turnEnded(turn, result);
      if (turn.text === text) resolve();
    };
  });
}

/** Types a line, once, as soon as a tool starts. */
function typeWhen(session: TerminalSession, tool: string, line: string): void {
  const { toolStarted } = session.surface;
  session.surface.toolStarted = (call) => {
    toolStarted(call);
    if (call.name !== tool) return;
    session.type(line);
    session.surface.toolStarted = toolStarted;
  };
}

function title({ write }: DemoStage, name: string, text: string): void {
  write(`\n${pc.bold(pc.inverse(` ${name} `))} ${pc.bold(text)}\n`);
}

function explain({ write }: DemoStage, text: string): void {
  write(`\n${pc.bold(text)}\n`);
}
