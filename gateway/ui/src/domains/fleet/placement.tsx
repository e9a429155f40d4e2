import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import type { NodeLine, Placement } from "~/api/types";
import { useOneChange } from "~/ui/clash/one-change";
import { Choice } from "~/ui/field";
import { Help } from "~/ui/help";
import { MissingRight } from "~/ui/missing-right";
import { ProblemNote } from "~/ui/problem";
import { nodes as call, placementQuery } from "./queries";
import { nodeState } from "./words";

const machineOf = (placement: Placement | undefined) =>
  placement?.target === "node" ? (placement.node_id ?? "local") : "local";

/** Where new sandboxes go. Those that exist stay where they are. */
export function PlacementChoice({ nodes, mayChange }: { nodes: NodeLine[]; mayChange: boolean }) {
  const client = useQueryClient();
  const placement = useQuery(placementQuery);
  const change = useOneChange<Placement | undefined>({
    now: placement.data,
    read: () => client.fetchQuery({ ...placementQuery, staleTime: 0 }),
    renew: () => client.invalidateQueries({ queryKey: keys.placement }),
    key: keys.placement,
    what: "placement",
    unversioned: true,
  });
  const current = machineOf(placement.data);
  const shown = change.asked ? (change.asked.mine as string) : current;
  const place = (target: string) =>
    change.change({
      label: "New sandboxes run on",
      of: machineOf,
      mine: target,
      words: (id) => nodes.find((node) => node.id === id)?.name ?? "The gateway's own machine",
      send: () => call.place(target === "local" ? { target: "local" } : { target: "node", node_id: target }),
    });
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
        disabled={change.busy || !mayChange}
        onChange={(event) => place(event.target.value)}
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
      {change.note}
      {change.error && <ProblemNote problem={asProblem(change.error)} />}
    </div>
  );
}
