/**
 * A soak of the daemon on loopback: hundreds of sessions, with an agent that is killed, users who are cut off, change
 * their minds and answer late, and a model that takes its time. Afterwards every session must have settled, no chain may
 * have opened more than two guard streams between two inputs, nothing may be lost or sent twice, and the daemon's memory
 * must be back where it was.
 *
 *     npm run soak -- [--sessions 300] [--seed 1] [--seconds 240]
 *
 * @module
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as v8 from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Command } from 'commander';
import * as z from 'zod';
import { startDaemon } from '../examples/daemon/daemon.ts';
import { DaemonSession } from '../examples/daemon/session.ts';
import { startScriptedModel } from '../examples/scripted-model/server.ts';
import type { ScriptInput } from '../examples/scripted-model/script.ts';
import { textOf } from '../examples/scripted-model/request.ts';
import { agentPidOf } from '../test/examples/daemon/agent-pid.ts';
import { problemsOf } from './soak/check.ts';
import { Random } from './soak/random.ts';
import { SoakSession } from './soak/session.ts';

/** What the heap may have grown by: connections that are kept for their next request, and compiled code. */
const GROWTH_BYTES_MAX = 16 * 1024 * 1024;
const TALKING_AT_ONCE = 12;

const options = z
  .object({ sessions: z.coerce.number().int(), seed: z.coerce.number().int(), seconds: z.coerce.number() })
  .parse(
    new Command('soak')
      .option('--sessions <n>', 'how many', '300')
      .option('--seed <n>', 'the same seed makes the same users', '1')
      .option('--seconds <n>', 'opens no further session after that', '240')
      .parse()
      .opts(),
  );

const cwd = await mkdtemp(join(tmpdir(), 'soak-'));
const model = await startScriptedModel({});
process.env['OPENAI_BASE_URL'] = model.url;
const flags = { port: 0, host: '127.0.0.1', graceSeconds: 10, ringEvents: 100 };
const daemon = await startDaemon(flags, ['--todo-stop-guard']);

const warmUp = await soak(Math.min(20, options.sessions), options.seed);
const before = heapAfterCollection();
const { problems, sessions, kills, requests } = await soak(options.sessions, options.seed + 1);
const growth = heapAfterCollection() - before;
// Node 20 before 20.13 cannot count them.
const left = 'queryObjects' in v8 ? v8.queryObjects(DaemonSession, { format: 'count' }) : 0;
await daemon.close();
await model.close();
await rm(cwd, { recursive: true });

const memory = [
  ...(growth > GROWTH_BYTES_MAX ? [`the heap has grown by ${growth} bytes`] : []),
  ...(left > 0 ? [`${left} sessions that were closed are still in memory`] : []),
];
const found = [...warmUp.problems, ...problems, ...memory];
console.log(JSON.stringify({ sessions, requests, kills, growth, left, problems: found }));
process.exit(found.length === 0 ? 0 : 1);

/** Runs so many sessions to their end. */
async function soak(count: number, seed: number) {
  const until = Date.now() + options.seconds * 1000;
  const killer = startKiller(new Random(seed));
  const opened: SoakSession[] = [];
  let begun = 0;
  const talk = async (): Promise<void> => {
    while (begun < count && Date.now() < until) {
      const ordinal = begun++;
      const session = await open(`S${seed}.${ordinal}:`, new Random(seed * 10_000 + ordinal));
      opened.push(session);
      await session.talk();
    }
  };
  await Promise.all(Array.from({ length: TALKING_AT_ONCE }, talk));
  const killed = await killer.stop();

  // What was never fetched goes along with one more prompt of each session; what a drain brought too late, with the next
  // drain (D3), for which that prompt calls a tool.
  await Promise.all(opened.map((session) => session.settled()));
  for (const session of opened) await session.ended(await session.prompt('final'));
  const made = model.requests.length;
  const problems = opened.flatMap((session) =>
    problemsOf(
      session,
      model.requests.filter(({ messages }) => messages.some((message) => textOf(message).includes(session.tag))),
    ),
  );
  await Promise.all(opened.map((session) => session.close()));
  // It is part of this process; what it remembers is not the daemon's.
  model.forget();
  return { sessions: opened.length, kills: killed, requests: made, problems };
}

async function open(tag: string, random: Random): Promise<SoakSession> {
  model.add(scriptOf(tag, random));
  for (;;) {
    const response = await fetch(`${daemon.url}/sessions`, {
      method: 'POST',
      body: JSON.stringify({ cwd }),
      headers: { 'content-type': 'application/json' },
    });
    const body: unknown = await response.json();
    // The agent may have died while it opened the session.
    if (response.status === 502) continue;
    const { sessionId } = z.object({ sessionId: z.string() }).parse(body);
    return new SoakSession(daemon.url, sessionId, tag, random);
  }
}

/** What the model says to one session: lists, files to write, stops, errors, some of it late. */
function scriptOf(tag: string, random: Random): ScriptInput {
  const todos = (status: string): object => ({
    tool_calls: [{ name: 'todo_write', arguments: { todos: [{ id: '1', content: 'Step', status }] } }],
  });
  const look = { tool_calls: [{ name: 'list_directory', arguments: { path: '.' } }] };
  const file = { tool_calls: [{ name: 'write_file', arguments: { file_path: 'note.txt', content: tag } }] };
  const responses = Array.from({ length: 60 }, () => {
    const late = random.chance(0.2) ? { pause_for: lateGate(random) } : {};
    const kind = random.next();
    if (kind < 0.3) return { ...todos('pending'), ...late };
    if (kind < 0.35) return { ...todos('completed'), ...late };
    if (kind < 0.45) return { ...file, ...late };
    if (kind < 0.5) return { error: { status: 500 } };
    return { text: 'I stop here.', ...late };
  });
  return {
    conversations: [
      { when: { first_user: tag, last_user: 'final' }, responses: [look, { text: 'Done.', times: 1000 }] },
      { when: { first_user: tag }, responses: [...responses, { text: 'Nothing more.', times: 1000 }] },
    ],
  };
}

/** A gate that opens after a while. */
function lateGate(random: Random): string {
  const name = `late-${random.next()}`;
  setTimeout(
    () => {
      model.release(name);
    },
    random.whole(0, 2_000),
  );
  return name;
}

/** Kills the agent now and then. */
function startKiller(random: Random): { stop(): Promise<number> } {
  const stopping = new AbortController();
  const kill = async (): Promise<number> => {
    let kills = 0;
    for (;;) {
      // Seldom enough that a new agent gets to work in between.
      await random.pause(10_000);
      if (stopping.signal.aborted) return kills;
      const pid = agentPidOf(process.pid);
      if (pid === null) continue;
      process.kill(pid, 'SIGKILL');
      kills++;
    }
  };
  const killing = kill();
  return {
    stop: () => {
      stopping.abort();
      return killing;
    },
  };
}

function heapAfterCollection(): number {
  v8.setFlagsFromString('--expose-gc');
  runInNewContext('gc()');
  return process.memoryUsage().heapUsed;
}
