import type { McpServer, McpServerStdio } from '@agentclientprotocol/sdk';
import { RequestError } from '@agentclientprotocol/sdk';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import * as z from 'zod';
import type { HostTool } from '../host/tools/tool.ts';
import { failed } from '../host/tools/tool.ts';

const Arguments = z.record(z.string(), z.unknown());

const CallResult = z.object({
  content: z.array(z.object({ text: z.string().optional() })).default([]),
  structuredContent: z.unknown(),
  isError: z.boolean().optional(),
});

/** The tools of a session's MCP servers. */
export interface DiscoveredTools {
  readonly tools: readonly HostTool[];
  /** Ends the servers. */
  close(): Promise<void>;
}

/**
 * Starts the MCP servers of a session and asks them for their tools, which keep their names: one may shadow a tool of
 * the host, and is still a discovered one (T1).
 *
 * @throws RequestError that names the server when one cannot be used; those that were started are ended then.
 */
export async function discoverTools(servers: readonly McpServer[], cwd: string): Promise<DiscoveredTools> {
  const clients: Client[] = [];
  const close = async (): Promise<void> => {
    await Promise.allSettled(clients.map((client) => client.close()));
  };
  const tools: HostTool[] = [];
  for (const [index, server] of servers.entries()) {
    try {
      if ('type' in server) throw new Error(`the transport ${server.type} is not supported; use stdio`);
      const client = await connect(server, cwd);
      clients.push(client);
      tools.push(...(await toolsOf(client)));
    } catch (error) {
      await close();
      const reason = error instanceof Error ? error.message : String(error);
      throw RequestError.invalidParams(undefined, `mcpServers[${index}] (${server.name}): ${reason}`);
    }
  }
  return { tools, close };
}

async function connect({ command, args, env }: McpServerStdio, cwd: string): Promise<Client> {
  // Most sessions have no server: they do not wait for the client to load.
  const [{ Client }, { StdioClientTransport, getDefaultEnvironment }] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/stdio.js'),
  ]);
  const given = Object.fromEntries(env.map(({ name, value }) => [name, value]));
  const client = new Client({ name: 'todo-stop-guard-agent', version: '0.1.0' });
  await client.connect(
    new StdioClientTransport({ command, args, cwd, env: { ...getDefaultEnvironment(), ...given }, stderr: 'ignore' }),
  );
  return client;
}

async function toolsOf(client: Client): Promise<readonly HostTool[]> {
  const { tools } = await client.listTools();
  return tools.map(({ name, description, inputSchema, annotations }) => ({
    name,
    origin: 'discovered',
    changesThings: annotations?.readOnlyHint !== true,
    definition: {
      type: 'function',
      function: { name, parameters: inputSchema, ...(description !== undefined && { description }) },
    },
    run: async (args, { signal }) => {
      try {
        const { content, structuredContent, isError } = CallResult.parse(
          await client.callTool({ name, arguments: Arguments.parse(args) }, undefined, { signal }),
        );
        const text = content.flatMap((part) => (part.text === undefined ? [] : [part.text])).join('\n');
        return { succeeded: isError !== true, text, structured: structuredContent };
      } catch (error) {
        signal.throwIfAborted();
        return failed(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
  }));
}
