/**
 * Adapters from the Todo lists of other agents to the envelope. They change the shape; trust is still the host's word.
 *
 * @module
 */
export { adaptTodos } from './adapt-todos.ts';
export type { AdaptedTodos, TodoEnvelope } from './adapt-todos.ts';
export type { TodoDialect } from './shapes.ts';
