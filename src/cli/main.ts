#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import pc from 'picocolors';
import { LIBRARY_VERSION } from '../trace/lines.ts';
import { readTrace, replayTrace, TraceError } from '../trace/index.ts';
import type { Trace } from '../trace/index.ts';
import { page } from './page.ts';
import { timeline } from './timeline.ts';

const DEPARTS = 1;
const UNUSABLE = 2;
const STANDARD_INPUT = 0;

const program = new Command('todo-stop-guard')
  .description('Looks at what a Todo stop guard did in a session.')
  .version(LIBRARY_VERSION)
  .exitOverride();

program
  .command('replay')
  .description('replays a trace on a machine of its own and shows the session as a timeline')
  .argument('<file>', 'what recordTrace has written; - for standard input')
  .option('--html', 'write one self-contained page instead of text')
  .addHelpText('after', '\nExit codes: 0 it replays to the same decisions, 1 it departs, 2 it cannot be read.')
  .action(async (file: string, options: { html?: true }) => {
    const trace = openTrace(file);
    const replay = replayTrace(trace);
    process.stdout.write(options.html ? await page(trace, replay) : timeline(trace, replay, pc));
    if (replay.departure !== null) process.exitCode = DEPARTS;
  });

/** Ends the program, with a message, for a file that is no trace. */
function openTrace(file: string): Trace {
  try {
    return readTrace(readFileSync(file === '-' ? STANDARD_INPUT : file, 'utf8'));
  } catch (error) {
    if (error instanceof TraceError) return program.error(`${file} is not a trace. ${error.message}`);
    const reason = error instanceof Error ? error.message : String(error);
    return program.error(`${file} cannot be read: ${reason}. Pass the path of a trace, or - for standard input.`);
  }
}

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

program.parseAsync().catch((error: unknown) => {
  if (!(error instanceof CommanderError)) throw error;
  process.exitCode = error.exitCode === 0 ? 0 : UNUSABLE;
});
