/**
 * A small ACP client for people: it starts the agent and shows the conversation in a terminal. What is typed while a
 * turn runs goes to that turn; Ctrl-C cancels it, and leaves when none runs.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ndJsonStream } from '@agentclientprotocol/sdk';
import { Command } from 'commander';
import pc from 'picocolors';
import * as z from 'zod';
import { ChatClient } from './chat-client.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const command = new Command('chat')
  .description('Talk to the agent. All other flags are the agent’s.')
  .option('--cwd <directory>', 'where the agent works', process.env['INIT_CWD'] ?? process.cwd())
  .argument('[agentFlags...]')
  .allowUnknownOption()
  .parse();
const { cwd } = z.object({ cwd: z.string() }).parse(command.opts());

// In a process group of its own: Ctrl-C is for this process, which turns it into a cancel.
const agent = spawn(process.execPath, ['--import', 'tsx', 'examples/agent/main.ts', ...command.args], {
  cwd: ROOT,
  stdio: ['pipe', 'pipe', 'inherit'],
  detached: true,
});
const exited = once(agent, 'exit');
const chat = new ChatClient(ndJsonStream(Writable.toWeb(agent.stdin), Readable.toWeb(agent.stdout)), (text) => {
  process.stdout.write(text);
});

try {
  await chat.open(resolve(cwd));
  if (process.stdin.isTTY) {
    console.log(pc.dim('Type a prompt. /retry and /continue go on, /mode default|plan|yolo changes the mode.'));
  }
  await Promise.race([typing(), chat.closed]);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
agent.stdin.end();
await exited;
process.exit();

/** Feeds the chat until the input has ended and nothing runs, or the user leaves. */
async function typing(): Promise<void> {
  const input = createInterface({ input: process.stdin });
  process.on('SIGINT', () => {
    if (chat.isBusy) chat.cancel();
    else input.close();
  });
  process.on('SIGTERM', () => {
    agent.stdin.end();
  });
  input.on('line', (line) => {
    chat.type(line);
  });
  await once(input, 'close');
  chat.end();
  await chat.settled();
}
