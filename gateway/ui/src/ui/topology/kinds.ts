// What the ways of working together are called, and what each means.
const KINDS = {
  single: "Single agent",
  pipeline: "Pipeline",
  hub_spoke: "Hub and spoke",
  hierarchical: "Hierarchy",
  star_moe: "Router (experts)",
} as const;
export type TopologyKind = keyof typeof KINDS;
const SAYS: Record<string, string> = {
  single: "One agent does all of it.",
  pipeline: "Each agent passes its work to the next.",
  hub_spoke: "The hub gives each of the others a part and makes one answer of their results.",
  hierarchical: "Agents above divide the work; agents below do it and report up.",
  star_moe: "The gate chooses the experts that fit the goal best. Their answers are merged into one.",
  compare: "All work on the same goal. A judge, if there is one, does not know who wrote an output.",
};
/** How they work together, in a sentence. */
export const kindSays = (kind: string | undefined) => SAYS[kind ?? ""];
export const KIND_NAMES = Object.entries(KINDS) as [TopologyKind, string][];
export const kindName = (kind: string) => KINDS[kind as TopologyKind] ?? kind;
