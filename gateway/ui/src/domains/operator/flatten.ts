import type { Actor } from "~/api/types";

export interface TreeRow {
  /** The actor's, so that rows can be held while somebody reads. */
  id: string;
  actor: Actor;
  depth: number;
  /** Place among its siblings, from 1. */
  place: number;
  siblings: number;
  open: boolean;
  parent: string | undefined;
}

/** The root and two levels are open unless somebody chose otherwise. */
export function isOpen(actor: Actor, depth: number, chosen: ReadonlyMap<string, boolean>): boolean {
  return actor.children.length > 0 && (chosen.get(actor.id) ?? depth < 2);
}

export interface TreeFilter {
  query?: string | undefined;
  kind?: string | undefined;
  tenant?: string | undefined;
}

/** The rows on screen from top to bottom. With a filter: every match, and the path from the root to it. */
export function flatten(root: Actor, chosen: ReadonlyMap<string, boolean>, filter: TreeFilter): TreeRow[] {
  const rows: TreeRow[] = [];
  const { query = "", kind, tenant } = filter;
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const searching = words.length > 0 || kind !== undefined || tenant !== undefined;
  const fits = (actor: Actor) => {
    if (kind !== undefined && actor.kind !== kind) return false;
    if (tenant !== undefined && actor.tenant !== tenant) return false;
    const text = [actor.name, actor.kind, actor.state, actor.serves, actor.id].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const reaches = (actor: Actor): boolean => fits(actor) || actor.children.some(reaches);
  const walk = (actor: Actor, depth: number, place: number, siblings: number, parent: string | undefined) => {
    if (searching && !reaches(actor)) return;
    const open = searching ? actor.children.some(reaches) : isOpen(actor, depth, chosen);
    rows.push({ id: actor.id, actor, depth, place, siblings, open, parent });
    if (open)
      actor.children.forEach((child, index) =>
        walk(child, depth + 1, index + 1, actor.children.length, actor.id),
      );
  };
  walk(root, 0, 1, 1, undefined);
  return rows;
}

export function count(root: Actor): { actors: number; failed: number; restarts: number } {
  const total = { actors: 0, failed: 0, restarts: 0 };
  const walk = (actor: Actor) => {
    total.actors += 1;
    total.restarts += actor.restarts ?? 0;
    if (actor.state === "failed") total.failed += 1;
    actor.children.forEach(walk);
  };
  walk(root);
  return total;
}

/** What the filters offer: every kind and every workspace that is in the tree. */
export function offers(root: Actor): { kinds: string[]; tenants: string[] } {
  const kinds = new Set<string>();
  const tenants = new Set<string>();
  const walk = (actor: Actor) => {
    kinds.add(actor.kind);
    if (actor.tenant) tenants.add(actor.tenant);
    actor.children.forEach(walk);
  };
  walk(root);
  return { kinds: [...kinds].sort(), tenants: [...tenants].sort() };
}
