import { methods } from '@agentclientprotocol/sdk';
import type { AgentContext, PermissionOption } from '@agentclientprotocol/sdk';
import type { PermissionAnswer, ShownCall } from '../host/surface.ts';
import { toolCallOf } from './updates.ts';

const ALLOW = 'allow_once';

const OPTIONS: PermissionOption[] = [
  { optionId: ALLOW, name: 'Allow', kind: 'allow_once' },
  { optionId: 'reject_once', name: 'Reject', kind: 'reject_once' },
];

/**
 * Asks the user by `session/request_permission`. Only the option that allows is an approval: a client that cannot be
 * asked, has left or answers anything else has approved nothing (D4).
 */
export async function askPermission(
  client: AgentContext,
  sessionId: string,
  call: ShownCall,
  signal: AbortSignal,
): Promise<PermissionAnswer> {
  try {
    const { outcome } = await client.request(
      methods.client.session.requestPermission,
      { sessionId, toolCall: toolCallOf(call), options: OPTIONS },
      { cancellationSignal: signal },
    );
    if (outcome.outcome === 'cancelled') return 'cancelled';
    return outcome.optionId === ALLOW ? 'allowed' : 'rejected';
  } catch (error) {
    console.error('The permission request failed:', error);
    return 'rejected';
  }
}
