import type { BackgroundId, BackgroundKind, BackgroundReference, InheritedIds } from './background.ts';

/**
 * Work that has a parent, or is one. It is `inherited` once it is settled: it, or an ancestor, is in the baseline. A
 * parent that nobody else knows is simply not in it, so that the own id decides; the members of a cycle have no root, so
 * that each decides for itself.
 */
interface LineageNode {
  parent: LineageNode | null;
  /** Before the node is settled: its own id is in the baseline. */
  inherited: boolean;
  progress: 'unsettled' | 'on_path' | 'settled';
}

type LineageNodes = ReadonlyMap<BackgroundKind, ReadonlyMap<string, LineageNode>>;

/**
 * Who counts with whom (K2), in one snapshot.
 *
 * Most work is in the baseline by its own id. Nothing is linked before something asks that is not. A plain object, since
 * one is made for every look.
 */
export interface Lineage {
  readonly inherited: InheritedIds;
  readonly lists: readonly (readonly BackgroundId[])[];
  /** The kind that was asked for last, and its ids: the entries of one kind mostly stand together. */
  kind: BackgroundKind | null;
  idsOfKind: ReadonlySet<string> | undefined;
  nodes: LineageNodes | null;
}

/** @param lists - of several entries for one id, the first that names a parent is believed. */
export function lineageOf(inherited: InheritedIds, lists: Lineage['lists']): Lineage {
  return { inherited, lists, kind: null, idsOfKind: undefined, nodes: null };
}

/** Tells whether the work, or an ancestor that it counts with, is in the baseline. */
export function countsAsInherited(lineage: Lineage, { kind, id }: BackgroundReference): boolean {
  if (isRecorded(lineage, kind, id)) return true;
  lineage.nodes ??= link(lineage);
  const node = lineage.nodes.get(kind)?.get(id);
  if (node === undefined) return false;
  settle(node);
  return node.inherited;
}

function isRecorded(lineage: Lineage, kind: BackgroundKind, id: string): boolean {
  if (kind !== lineage.kind) {
    lineage.kind = kind;
    lineage.idsOfKind = lineage.inherited.get(kind);
  }
  return lineage.idsOfKind?.has(id) === true;
}

function link(lineage: Lineage): LineageNodes {
  const linked = new Map<BackgroundKind, Map<string, LineageNode>>();
  const nodeOf = ({ kind, id }: BackgroundReference): LineageNode => {
    const nodes = linked.get(kind) ?? new Map<string, LineageNode>();
    linked.set(kind, nodes);
    const existing = nodes.get(id);
    if (existing !== undefined) return existing;
    const node: LineageNode = { parent: null, inherited: isRecorded(lineage, kind, id), progress: 'unsettled' };
    nodes.set(id, node);
    return node;
  };
  for (const entries of lineage.lists) {
    for (const entry of entries) {
      if (entry.parent !== undefined) nodeOf(entry).parent ??= nodeOf(entry.parent);
    }
  }
  return linked;
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
