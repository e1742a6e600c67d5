import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import * as z from 'zod';

const run = promisify(execFile);
const Report = z.object({ sessions: z.number(), requests: z.number(), problems: z.array(z.string()) });

test(
  '[B1] [D3] [O2] a short soak: all settles, nothing is lost or sent twice, no chain is longer than two streams',
  { timeout: 300_000 },
  async () => {
    const { stdout } = await run(
      process.execPath,
      ['--import', 'tsx', 'scripts/soak.ts', '--sessions', '40', '--seed', '11', '--seconds', '60'],
      { maxBuffer: 64 * 1024 * 1024 },
      // It ends with 1 where there are problems, and prints them all the same.
    ).catch((error: unknown) => z.object({ stdout: z.string() }).parse(error));
    const { sessions, requests, problems } = Report.parse(JSON.parse(stdout));
    expect(problems).toEqual([]);
    expect(sessions).toBeGreaterThan(0);
    expect(requests).toBeGreaterThan(sessions);
  },
);
