// Where the sandboxes of a team are made.
import type { NodeLine, Placement } from "~/api/types";
import { nodeState } from "~/ui/node-state";
import { visible } from "~/ui/visible";

/** The gateway's own machine. */
export const LOCAL = "local";

/** What the workspace's placement or the team's own choice comes to. */
export const machineOf = (value: string | null, placement: Placement): string =>
  value ?? (placement.target === "node" ? (placement.node_id ?? LOCAL) : LOCAL);

/** What can be chosen, each machine with its state; what is chosen stays in the list whatever became of it. */
export function machineOptions(
  nodes: readonly NodeLine[],
  placement: Placement | undefined,
  value: string | null,
): [string, string][] {
  const named = (node: NodeLine) => `${visible(node.name)} (${nodeState(node).word})`;
  const id = placement && machineOf(null, placement);
  const there = nodes.find((node) => node.id === id);
  const usual = id === LOCAL ? "the gateway's own machine" : there ? visible(there.name) : "";
  const machines = nodes
    .filter((node) => node.status !== "pending" || node.id === value)
    .map((node): [string, string] => [node.id, named(node)]);
  const gone = value !== null && value !== LOCAL && !nodes.some((node) => node.id === value);
  return [
    ["", `Where the workspace's placement says${usual && `: ${usual}`}`],
    [LOCAL, "The gateway's own machine"],
    ...machines,
    ...(gone ? [[value, "A machine that is not paired any more"] as [string, string]] : []),
  ];
}
