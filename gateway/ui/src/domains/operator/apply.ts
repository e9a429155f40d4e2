// The tree as the stream tells it: a snapshot, then what changed. Pure, so that tests can drive it.
import type { Actor, Tree, TreeDelta } from "~/api/types";

/** The tree after a change. What is new goes behind its siblings, so nothing that stands there moves. */
export function applyDelta(tree: Tree, delta: TreeDelta): Tree {
  const gone = new Set(delta.gone);
  const news = new Map(delta.changed.map((change) => [change.actor.id, change.actor]));
  const placed = new Map<string, Actor>();
  const renew = (old: Actor): Actor => {
    const actor: Actor = { ...(news.get(old.id) ?? old), children: [] };
    placed.set(actor.id, actor);
    for (const child of old.children) if (!gone.has(child.id)) actor.children.push(renew(child));
    return actor;
  };
  const root = renew(tree.root);
  for (const { parent, actor } of delta.changed) {
    if (placed.has(actor.id)) continue;
    // Parents come before their children, so a new actor exists already when its children are placed.
    const above = placed.get(parent ?? "");
    if (!above) continue;
    const fresh = { ...actor, children: [] };
    placed.set(fresh.id, fresh);
    above.children.push(fresh);
  }
  return { at: delta.at, living: delta.living, forced_kills: delta.forced_kills, root };
}

const SLOT_MS = 2000;
export const SLOTS = 30;

/** What each actor handled lately, in slots of two seconds; a minute is kept. */
export class Rates {
  private readonly seen = new Map<string, number>();
  private readonly slots = new Map<string, Map<number, number>>();

  /** Notes how much an actor has handled since it was made. */
  note(actor: Actor, now: number) {
    const before = this.seen.get(actor.id);
    this.seen.set(actor.id, actor.handled);
    if (before === undefined || actor.handled <= before) return;
    const slot = Math.floor(now / SLOT_MS);
    const mine = this.slots.get(actor.id) ?? new Map<number, number>();
    mine.set(slot, (mine.get(slot) ?? 0) + actor.handled - before);
    for (const old of mine.keys()) if (old <= slot - SLOTS) mine.delete(old);
    this.slots.set(actor.id, mine);
  }

  forget(id: string) {
    this.seen.delete(id);
    this.slots.delete(id);
  }

  /** The last minute, oldest first. */
  of(id: string, now: number): number[] {
    const mine = this.slots.get(id);
    const last = Math.floor(now / SLOT_MS);
    return Array.from({ length: SLOTS }, (_, at) => mine?.get(last - SLOTS + 1 + at) ?? 0);
  }
}
