import type { BackgroundId, BackgroundKind, BackgroundReference, InheritedIds } from './background.ts';

/**
 * Who counts with whom (K2).
 *
 * Only work that has a parent, or is one, gets a node. A node is `inherited` once it is settled: it, or an
 * ancestor, is in the baseline. A parent that nobody else knows is simply not in it, so that the own id decides;
 * the members of a cycle have no root, so that each decides for itself.
 */
export type Lineage = ReadonlyMap<BackgroundKind, ReadonlyMap<string, LineageNode>>;

interface LineageNode {
  parent: LineageNode | null;
  /** Before the node is settled: its own id is in the baseline. */
  inherited: boolean;
  progress: 'unsettled' | 'on_path' | 'settled';
}

/**
 * Links every entry to its parent. Of several entries for one id, the first that names a parent is believed.
 *
 * @returns the lineage, fresh for one snapshot; `null` if no entry has a parent, which is the common case.
 */
export function traceLineage(inherited: InheritedIds, lists: readonly (readonly BackgroundId[])[]): Lineage | null {
  if (!lists.some(namesParent)) return null;
  const lineage = new Map<BackgroundKind, Map<string, LineageNode>>();
  const nodeOf = ({ kind, id }: BackgroundReference): LineageNode => {
    const nodes = lineage.get(kind) ?? new Map<string, LineageNode>();
    lineage.set(kind, nodes);
    const existing = nodes.get(id);
    if (existing !== undefined) return existing;
    const node: LineageNode = { parent: null, inherited: isRecorded(inherited, kind, id), progress: 'unsettled' };
    nodes.set(id, node);
    return node;
  };
  for (const entries of lists) {
    for (const entry of entries) {
      if (entry.parent !== undefined) nodeOf(entry).parent ??= nodeOf(entry.parent);
    }
  }
  return lineage;
}

function namesParent(entries: readonly BackgroundId[]): boolean {
  for (const { parent } of entries) if (parent !== undefined) return true;
  return false;
}

/** Tells whether the work, or an ancestor that it counts with, is in the baseline. */
export function countsAsInherited(
  inherited: InheritedIds,
  lineage: Lineage | null,
  { kind, id }: BackgroundReference,
): boolean {
  const node = lineage?.get(kind)?.get(id);
  if (node === undefined) return isRecorded(inherited, kind, id);
  settle(node);
  return node.inherited;
}

/** Walks up to the first settled ancestor, the root or a cycle, and back down. Every node is walked once. */
function settle(start: LineageNode): void {
  const path: LineageNode[] = [];
  let top: LineageNode | null = start;
  while (top?.progress === 'unsettled') {
    top.progress = 'on_path';
    path.push(top);
    top = top.parent;
  }
  // A walk that met its own path has found a cycle: from the path's end down to `top`.
  let inCycle = top?.progress === 'on_path';
  for (const node of path.reverse()) {
    if (!inCycle && node.parent?.inherited === true) node.inherited = true;
    if (node === top) inCycle = false;
    node.progress = 'settled';
  }
}

function isRecorded(inherited: InheritedIds, kind: BackgroundKind, id: string): boolean {
  return inherited.get(kind)?.has(id) === true;
}
