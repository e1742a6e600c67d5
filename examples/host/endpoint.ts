import { fileURLToPath } from 'node:url';
import { readScript } from '../scripted-model/script.ts';
import { startScriptedModel } from '../scripted-model/server.ts';
import type { Model } from './model.ts';
import { connectModel } from './model.ts';

/** A model, and what must be shut down with it. */
export interface Endpoint {
  readonly model: Model;
  /** What to tell the user about it. */
  readonly name: string;
  /** No real model: the answers come from this script. */
  readonly scripted: boolean;
  close(): Promise<void>;
}

/** What the hosts play when nothing is configured. */
export const DEFAULT_SCRIPT: string = fileURLToPath(new URL('../headless/demo-script.json', import.meta.url));

/**
 * The model that the environment names: `OPENAI_BASE_URL`, `OPENAI_API_KEY`, `OPENAI_MODEL`. Without a base URL, a
 * scripted server inside this process.
 *
 * @throws Error that names the script and its field, when that does not fit.
 */
export async function openEndpoint(env: NodeJS.ProcessEnv, script: string = DEFAULT_SCRIPT): Promise<Endpoint> {
  const baseURL = env['OPENAI_BASE_URL'];
  if (baseURL) {
    const model = env['OPENAI_MODEL'] ?? 'gpt-4o-mini';
    return {
      // The official client insists on a key; local servers do not look at it.
      model: connectModel({ baseURL, apiKey: env['OPENAI_API_KEY'] ?? 'none', model }),
      name: `${model} at ${baseURL}`,
      scripted: false,
      close: () => Promise.resolve(),
    };
  }
  const server = await startScriptedModel(await readScript(script));
  return {
    model: connectModel({ baseURL: server.url, apiKey: 'none', model: 'scripted' }),
    name: `the script ${script}`,
    scripted: true,
    close: () => server.close(),
  };
}
