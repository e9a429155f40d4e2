import type { Actor } from "~/api/types";

interface Line {
  /** The actor's, so that rows can be held while somebody reads. */
  id: string;
  depth: number;
  /** Place among its siblings, from 1. */
  place: number;
  siblings: number;
  open: boolean;
  parent: string | undefined;
}

export interface ActorLine extends Line {
  is: "actor";
  actor: Actor;
}
/** Many siblings of one kind, as one row that can be opened. */
export interface GroupLine extends Line {
  is: "group";
  kind: string;
  count: number;
  failed: number;
  restarts: number;
}
/** What a group has beyond those that are shown. */
export interface MoreLine extends Line {
  is: "more";
  count: number;
}
export type TreeRow = ActorLine | GroupLine | MoreLine;

/** Above this, siblings are shown by kind; and no group shows more than this many. */
export const MOST_SIBLINGS = 200;
/** A kind with fewer stands among its siblings as ever. */
const GROUP_FROM = 20;

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
    rows.push({ is: "actor", id: actor.id, actor, depth, place, siblings, open, parent });
    if (!open) return;
    const below = searching ? actor.children.filter(reaches) : actor.children;
    if (below.length > MOST_SIBLINGS) return grouped(below, depth + 1, actor.id);
    below.forEach((child) =>
      walk(child, depth + 1, actor.children.indexOf(child) + 1, actor.children.length, actor.id),
    );
  };
  const grouped = (all: Actor[], depth: number, parent: string) => {
    const kinds = new Map<string, Actor[]>();
    for (const one of all) {
      const some = kinds.get(one.kind);
      if (some) some.push(one);
      else kinds.set(one.kind, [one]);
    }
    const alone = [...kinds.values()].filter((some) => some.length < GROUP_FROM).flat();
    const many = [...kinds].filter(([, some]) => some.length >= GROUP_FROM);
    const siblings = alone.length + many.length;
    alone.forEach((child, index) => walk(child, depth, index + 1, siblings, parent));
    many.forEach(([kind, some], index) => {
      const id = `${parent}#${kind}`;
      // Somebody who searches wants to see what was found.
      const open = chosen.get(id) ?? searching;
      const failed = some.filter(({ state }) => state === "failed");
      const restarts = some.reduce((sum, one) => sum + (one.restarts ?? 0), 0);
      const counts = { kind, count: some.length, failed: failed.length, restarts };
      const place = alone.length + index + 1;
      rows.push({ is: "group", id, depth, place, siblings, open, parent, ...counts });
      if (!open) return;
      // A failed actor is never among those left out.
      const first = new Set([...failed, ...some].slice(0, MOST_SIBLINGS));
      [...first].forEach((child, at) => walk(child, depth + 1, at + 1, some.length, id));
      if (some.length > first.size)
        rows.push({
          is: "more",
          id: `${id}#more`,
          depth: depth + 1,
          place: first.size + 1,
          siblings: first.size + 1,
          open: false,
          parent: id,
          count: some.length - first.size,
        });
    });
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
