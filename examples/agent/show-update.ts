import type { SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk';
import pc from 'picocolors';
import { isGuardNotice } from 'todo-stop-guard/acp';
import type { TerminalSurface } from '../headless/terminal-surface.ts';
import type { ShownCall } from '../host/surface.ts';

/** Shows a session's updates in a terminal, in the form in which the core loop shows them. */
export class UpdateView {
  readonly #surface: TerminalSurface;
  /** The calls that run, by their ids. */
  readonly #calls = new Map<string, ShownCall>();
  #automaticTurnRuns = false;

  constructor(surface: TerminalSurface) {
    this.#surface = surface;
  }

  /** A turn runs that no prompt has asked for. */
  get automaticTurnRuns(): boolean {
    return this.#automaticTurnRuns;
  }

  show(update: SessionUpdate): void {
    const surface = this.#surface;
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        if (update.content.type !== 'text') return;
        if (isGuardNotice(update)) surface.say('notice', update.content.text, pc.magenta);
        else if (update._meta?.['source'] === 'host') surface.say('host', update.content.text);
        else surface.text(update.content.text);
        return;
      case 'tool_call': {
        const call = shownCall(update);
        this.#calls.set(call.id, call);
        surface.toolStarted(call);
        return;
      }
      case 'tool_call_update':
        this.#finish(update);
        return;
      case 'plan':
        surface.plan(update.entries.map(({ content, status }, index) => ({ id: `${index}`, content, status })));
        return;
      case 'user_message_chunk':
        if (update._meta?.['source'] !== 'automatic_turn' || update.content.type !== 'text') return;
        this.#automaticTurnRuns = true;
        surface.turnStarted({ id: '', automatic: true, text: update.content.text });
        return;
      case 'session_info_update':
        this.#inform(update._meta ?? {});
        return;
      default:
        return;
    }
  }

  #finish({ toolCallId, status, content }: ToolCallUpdate): void {
    const call = this.#calls.get(toolCallId);
    if (call === undefined || (status !== 'completed' && status !== 'failed')) return;
    this.#calls.delete(toolCallId);
    const texts = (content ?? []).flatMap((part) =>
      part.type === 'content' && part.content.type === 'text' ? [part.content.text] : [],
    );
    this.#surface.toolFinished(call, { succeeded: status === 'completed', text: texts.join('\n') });
  }

  #inform({ source, error, suggestion }: Readonly<Record<string, unknown>>): void {
    if (source === 'automatic_turn') {
      this.#automaticTurnRuns = false;
      this.#surface.say('host', typeof error === 'string' ? `the turn failed: ${error}` : 'the turn is over');
    }
    if (source === 'follow_up' && typeof suggestion === 'string') this.#surface.followUp(suggestion);
  }
}

/** A call of an update or of a permission request, as the core loop knows it. */
export function shownCall({ toolCallId, name, title, rawInput, _meta }: ToolCallUpdate): ShownCall {
  return {
    id: toolCallId,
    name: name ?? title ?? 'a tool',
    args: rawInput,
    bySubAgent: _meta?.['subAgent'] === true,
  };
}
