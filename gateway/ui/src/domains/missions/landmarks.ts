// The landmarks that the gateway sends on `/api/world/stream`: what there is, and where it works.
import type { components } from "~/api/schema";

export type TopologyUpdate = components["schemas"]["TopologyUpdate"];

export interface Landmarks {
  /** The names of all, by their ids: `team:<id>`, `machine:local`. In the order of the gateway. */
  names: ReadonlyMap<string, string>;
  /** The first thing that each hangs on. */
  above: ReadonlyMap<string, string>;
  /** What hangs on each. */
  below: ReadonlyMap<string, string[]>;
  /** The machine on which the sandbox of each runs. */
  places: ReadonlyMap<string, string>;
}

/** The id of a landmark without its kind. */
export const bare = (id: string) => id.slice(id.indexOf(":") + 1);
export const isA = (kind: string) => (id: string) => id.startsWith(`${kind}:`);

/** The gateway's own host has no name that a person gave it. */
const nameOf = (id: string, label: string | null | undefined) =>
  id === "machine:local" ? "Gateway's machine" : (label ?? bare(id));

export function readLandmarks({ nodes = [], edges = [] }: TopologyUpdate): Landmarks {
  const names = new Map(nodes.map(({ id, label }) => [id as string, nameOf(id, label)]));
  const above = new Map<string, string>();
  const below = new Map<string, string[]>();
  const places = new Map<string, string>();
  for (const { id, parentId } of nodes) if (parentId && names.has(parentId)) above.set(id, parentId);
  for (const { from, to, kind } of edges) {
    if (!names.has(from) || !names.has(to)) continue;
    if (kind === "flow") places.set(from, to);
    else below.set(from, [...(below.get(from) ?? []), to]);
  }
  return { names, above, below, places };
}
