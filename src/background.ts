import { countsAsInherited, lineageOf } from './background-lineage.ts';

/** The kinds of background work. Cron jobs have none: they are never relevant (K3). */
export type BackgroundKind = 'agent' | 'shell' | 'monitor' | 'wakeup';

/** What names one run of background work. The same `id` under another kind is another thing (K4). */
export interface BackgroundReference {
  readonly kind: BackgroundKind;
  /** Any string, compared strictly. It names one run: work that begins again gets a new id. */
  readonly id: string;
}

/** One run of background work, or the notification that it has queued. */
export interface BackgroundId extends BackgroundReference {
  /** Who began it: the agent of a sub-agent, of a shell or of a monitor. It counts with its parent (K2). */
  readonly parent?: BackgroundReference;
}

/** Background work as the host's registry lists it. `queued` and `running` are live, `finished` is not (K2). */
export interface BackgroundTask extends BackgroundId {
  readonly state: 'queued' | 'running' | 'finished';
}

/** All of the host's background work at one moment. Entries may come in any order. */
export interface BackgroundSnapshot {
  /** Agents, shells, monitors and wakeups. Finished ones may be listed: they tell who their children count with. */
  readonly tasks: readonly BackgroundTask[];
  /** Terminal notifications, monitor lines and wakeups that are queued and whose turn was not admitted yet. */
  readonly notifications: readonly BackgroundId[];
}

/** The ids that are older than a chain. */
export type InheritedIds = ReadonlyMap<BackgroundKind, ReadonlySet<string>>;

/** What a chain remembers of its start (K1): the ids that it inherited, or that its trust was revoked (C4). */
export type BackgroundBaseline =
  { readonly revoked: false; readonly inherited: InheritedIds } | { readonly revoked: true };

/** The baseline from the moment trust is revoked until the next chain: nothing is related or relevant (C4). */
export const REVOKED_BASELINE: BackgroundBaseline = /* @__PURE__ */ Object.freeze({ revoked: true });

/**
 * Takes the baseline at the boundary that starts a chain (K1).
 *
 * Whatever the snapshot knows of is older than the chain, finished work and mere parents too: the notification
 * of a task that has just ended may be queued a moment later, and it must not pass for the new chain's.
 *
 * @param snapshot - all background work at that boundary.
 * @returns a value of its own, which keeps no reference to the snapshot.
 * @throws TypeError when the snapshot is missing or one of its lists is.
 */
export function captureBaseline(snapshot: BackgroundSnapshot): BackgroundBaseline {
  checkSnapshot(snapshot);
  const inherited = new Map<BackgroundKind, Set<string>>();
  const record = ({ kind, id }: BackgroundReference): void => {
    const ids = inherited.get(kind);
    if (ids === undefined) inherited.set(kind, new Set([id]));
    else ids.add(id);
  };
  for (const entries of [snapshot.tasks, snapshot.notifications]) {
    for (const entry of entries) {
      record(entry);
      if (entry.parent !== undefined) record(entry.parent);
    }
  }
  return { revoked: false, inherited };
}

/**
 * Tells whether an automatic turn belongs to the chain: its source is neither inherited nor the descendant of
 * inherited work (C4, K2, K5). A cron turn has no source; do not ask for one (K3).
 *
 * @param baseline - what was taken when the chain began.
 * @param source - the background work that the turn reports on. Its own `parent` wins over the snapshot's.
 * @param snapshot - adds the lineage of its ancestors; without it only `source` itself and its parent are known.
 * @throws TypeError when the snapshot lacks one of its lists.
 */
export function isRelated(baseline: BackgroundBaseline, source: BackgroundId, snapshot?: BackgroundSnapshot): boolean {
  if (snapshot !== undefined) checkSnapshot(snapshot);
  if (baseline.revoked) return false;
  const known = snapshot === undefined ? [[source]] : [[source], snapshot.tasks, snapshot.notifications];
  return !countsAsInherited(lineageOf(baseline.inherited, known), source);
}

/**
 * Tells whether the guard must wait: something that is live or queued belongs to the chain (K2, O4).
 *
 * The cost is linear in the snapshot, whatever its lineages; without parents nothing is allocated per entry.
 *
 * @param baseline - what was taken when the chain began.
 * @param snapshot - all background work now.
 * @throws TypeError when the snapshot is missing or one of its lists is.
 */
export function hasRelevantBackground(baseline: BackgroundBaseline, snapshot: BackgroundSnapshot): boolean {
  checkSnapshot(snapshot);
  if (baseline.revoked) return false;
  const lineage = lineageOf(baseline.inherited, [snapshot.tasks, snapshot.notifications]);
  // Loops, not callbacks: every look at a stop pays for this, most often with a few entries.
  for (const task of snapshot.tasks) {
    if (task.state !== 'finished' && !countsAsInherited(lineage, task)) return true;
  }
  for (const notification of snapshot.notifications) {
    if (!countsAsInherited(lineage, notification)) return true;
  }
  return false;
}

/** An untyped host may leave it out, and would then be told of a property that cannot be read. */
function checkSnapshot(snapshot: Partial<BackgroundSnapshot> | null | undefined): void {
  if (Array.isArray(snapshot?.tasks) && Array.isArray(snapshot.notifications)) return;
  throw new TypeError('background must be { tasks, notifications }: pass an empty list where there is nothing.');
}
