import { html, raw } from 'hono/html';
import type { Trace, TraceReplay } from '../trace/index.ts';
import { timelineRow } from './rows.ts';
import { summarise, verdict } from './summary.ts';

const STYLE = `
  :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
  body { max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
  h1 { font-size: 1.4rem; }
  .verdict { padding: .6rem 1rem; border-left: .3rem solid #2a8a4a; background: #2a8a4a1f; overflow-wrap: anywhere; }
  .verdict.departs { border-color: #c0392b; background: #c0392b1f; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid #8884; overflow-wrap: anywhere; }
  th { white-space: nowrap; }
  td.turn { min-width: 6rem; }
  td.line, td.chain { color: GrayText; white-space: nowrap; font-variant-numeric: tabular-nums; }
  code { font: .9em ui-monospace, monospace; }
  .kind { font-weight: 600; }
  .send, .admit { color: light-dark(#1d7a3e, #5fd68a); }
  .continue { color: light-dark(#1668a8, #6fb8f0); }
  .stop { color: light-dark(#9b2fae, #d98be6); }
  .hold { color: light-dark(#9a6700, #e3b341); }
  .ignored { color: GrayText; }
  tr.departs td { background: #c0392b1f; }
`;

/** The session as one page that needs nothing else: no script, and nothing is loaded. `html` escapes every value. */
export async function page(trace: Trace, replay: TraceReplay): Promise<string> {
  const departsAt = replay.departure?.line;
  const rows = replay.steps.map(timelineRow).map(
    (row) =>
      html`<tr${row.line === departsAt ? raw(' class="departs"') : ''}>
        <td class="line">${row.line}</td>
        <td class="turn"><code>${row.turn}</code></td>
        <td><code>${row.told}</code></td>
        <td><code class="kind ${row.kind}">${row.decided}</code><br />${row.meaning}</td>
        <td class="chain">${row.chain}</td>
      </tr>`,
  );
  const document = await html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <meta name="viewport" content="width=device-width" />
        <title>Todo Stop Guard: a session replayed</title>
        <style>
          ${raw(STYLE)}
        </style>
      </head>
      <body>
        <h1>A session of the Todo Stop Guard</h1>
        <p>${summarise(trace)}</p>
        <div class="verdict${departsAt === undefined ? '' : ' departs'}">
          ${verdict(trace, replay).map((line) => html`<div>${line}</div>`)}
        </div>
        <table>
          <thead>
            <tr>
              <th>Line</th>
              <th>Turn</th>
              <th>Told</th>
              <th>Decided</th>
              <th>Work chain</th>
            </tr>
          </thead>
          <tbody>
            ${rows}
          </tbody>
        </table>
      </body>
    </html> `;
  return String(document);
}
