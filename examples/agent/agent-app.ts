import { agent, methods, PROTOCOL_VERSION, RequestError } from '@agentclientprotocol/sdk';
import type { AgentApp } from '@agentclientprotocol/sdk';
import type { AgentSessions } from './agent-sessions.ts';
import { ChangeDirectory, InSession, paramsOf, Rewind } from './extension-params.ts';

/** The agent's side of ACP v1, and the extension methods of `craft/`. Bad parameters are answered with an error that names them. */
export function agentApp(sessions: AgentSessions): AgentApp {
  const { initialize, session } = methods.agent;
  return (
    agent({ name: 'todo-stop-guard-agent' })
      .onRequest(initialize, () => ({
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: 'todo-stop-guard-agent', version: '0.1.0' },
        agentCapabilities: {
          loadSession: false,
          promptCapabilities: { embeddedContext: true },
          sessionCapabilities: { close: {} },
        },
      }))
      .onRequest(session.new, async ({ client, params }) => {
        const { id, modes } = await sessions.open(client, params);
        return { sessionId: id, modes };
      })
      // Before the cancel: of two messages that arrive together, the first to be registered is the first to be handled.
      .onRequest(session.prompt, ({ params, signal }) => sessions.get(params.sessionId).prompt(params, signal))
      .onNotification(session.cancel, ({ params }) => {
        sessions.get(params.sessionId).cancel();
      })
      .onRequest(session.setMode, ({ params }) => {
        sessions.get(params.sessionId).setMode(params.modeId);
      })
      .onRequest(session.close, ({ params }) => sessions.close(params.sessionId))
      .onRequest('craft/queuedPromptDropped', paramsOf(InSession), ({ params }) => {
        sessions.get(params.sessionId).queuedPromptDropped();
        return {};
      })
      .onRequest('craft/rewind', paramsOf(Rewind), ({ params }) =>
        orInvalidParams(() => {
          sessions.get(params.sessionId).rewind(params.turns);
        }),
      )
      .onRequest('craft/changeDirectory', paramsOf(ChangeDirectory), ({ params }) =>
        orInvalidParams(() => sessions.get(params.sessionId).changeDirectory(params.cwd)),
      )
      .onRequest('craft/branch', paramsOf(InSession), async ({ client, params }) => {
        const { id } = await sessions.branch(client, params.sessionId);
        return { sessionId: id };
      })
  );
}

/** Does what was asked and answers `{}`; what the session refuses is the caller's parameter, by its own message. */
async function orInvalidParams(act: () => void | Promise<void>): Promise<object> {
  try {
    await act();
    return {};
  } catch (error) {
    if (error instanceof RequestError || !(error instanceof Error)) throw error;
    throw RequestError.invalidParams(undefined, error.message);
  }
}
