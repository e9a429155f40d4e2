import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import type { NodeLine } from "~/api/types";
import { Choice } from "~/ui/field";
import { Help } from "~/ui/help";
import { MissingRight } from "~/ui/missing-right";
import { ProblemNote } from "~/ui/problem";
import { nodes as call, placementQuery } from "./queries";
import { nodeState } from "./words";

/** Where new sandboxes go. Those that exist stay where they are. */
export function PlacementChoice({ nodes, mayChange }: { nodes: NodeLine[]; mayChange: boolean }) {
  const client = useQueryClient();
  const placement = useQuery(placementQuery);
  const change = useMutation({
    mutationFn: (target: string) =>
      call.place(target === "local" ? { target: "local" } : { target: "node", node_id: target }),
    onSettled: () => client.invalidateQueries({ queryKey: keys.placement }),
  });
  const current = placement.data?.target === "node" ? (placement.data.node_id ?? "local") : "local";
  const shown = change.isPending ? change.variables : current;
  const chosen = nodes.find((node) => node.id === shown);
  const named = JSON.stringify(
    nodes
      .filter((node) => node.status !== "pending" || node.id === current)
      .map((node) => [node.id, `${node.name} (${nodeState(node).word})`]),
  );
  // The names as one text: figures that change each second do not make hundreds of options again.
  const machines = useMemo(
    () =>
      (JSON.parse(named) as [string, string][]).map(([id, name]) => (
        <option key={id} value={id}>
          {name}
        </option>
      )),
    [named],
  );
  if (!placement.data) return null;
  const away = chosen && (chosen.status !== "online" || (chosen.connection ?? "connected") !== "connected");
  return (
    <div className="flex max-w-xl flex-col gap-2">
      <Choice
        label="New sandboxes run on"
        help={<Help word="sandbox" />}
        value={shown}
        disabled={change.isPending || !mayChange}
        onChange={(event) => change.mutate(event.target.value)}
        className="max-w-72"
        hint={
          away
            ? `${chosen.name} is ${nodeState(chosen).word.toLowerCase()}, so new sandboxes run on the gateway's own machine until it is back.`
            : "Existing sandboxes won't move."
        }
      >
        <option value="local">The gateway's own machine</option>
        {machines}
      </Choice>
      {!mayChange && <MissingRight what="choose where new sandboxes run" least="admin" />}
      {change.isError && <ProblemNote problem={asProblem(change.error)} />}
    </div>
  );
}
