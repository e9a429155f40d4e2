import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMay } from "~/api/may";
import { nodesQuery, placementQuery } from "~/api/nodes";
import type { NodeLine, Placement } from "~/api/types";
import { Choice } from "~/ui/field";
import { MissingRight } from "~/ui/missing-right";
import { nodeState, takesWork } from "~/ui/node-state";
import { Failed } from "~/ui/problem";
import { Status } from "~/ui/status";
import { visible } from "~/ui/visible";
import { LOCAL, machineOf, machineOptions } from "./place";

function State({ node }: { node: NodeLine | undefined }) {
  if (!node) return <Status tone="running" word="The gateway's own machine" />;
  const { tone, word, why } = nodeState(node);
  return (
    <>
      <Status tone={tone} word={`${visible(node.name)}: ${word}`} className="whitespace-normal" />
      <span className="text-fg-3">
        {takesWork(node) ? why : `${why}. Until it is back, sandboxes are made on the gateway's own machine`}.
      </span>
    </>
  );
}

/** The machine that a choice comes to just now, and how it is. */
export function MachineState({ value }: { value: string | null }) {
  const nodes = useQuery(nodesQuery);
  const placement = useQuery(placementQuery);
  if (!nodes.data || (value === null && !placement.data)) return null;
  const id = machineOf(value, placement.data as Placement);
  const node = nodes.data.find((one) => one.id === id);
  const gone = id !== LOCAL && !node;
  return (
    <p role="status" className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 text-small">
      {gone ? (
        <Status
          tone="failed"
          word="Not paired any more: sandboxes are made on the gateway's own machine"
          className="whitespace-normal"
        />
      ) : (
        <State node={node} />
      )}
    </p>
  );
}

interface Props {
  /** `local`, the id of a machine, or null for wherever the workspace's placement says. */
  value: string | null;
  label: string;
  disabled?: boolean;
  error?: string | undefined;
  onChange: (value: string | null) => void;
}

/** Which machine a team's sandboxes are made on; each with its state. */
export function MachineChoice({ value, label, disabled, error, onChange }: Props) {
  const nodes = useQuery(nodesQuery);
  const placement = useQuery(placementQuery);
  const may = useMay()("placement.set");
  if (!may)
    return (
      <div className="flex min-w-0 flex-col gap-1.5">
        <span className="text-small font-[550] text-fg-2">{label}</span>
        <MachineState value={value} />
        <MissingRight what="choose another machine" least="admin" />
      </div>
    );
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <Choice
        label={label}
        value={value ?? ""}
        disabled={disabled}
        error={error}
        onChange={(event) => onChange(event.target.value || null)}
      >
        {machineOptions(nodes.data ?? [], placement.data, value).map(([id, word]) => (
          <option key={id} value={id}>
            {word}
          </option>
        ))}
      </Choice>
      <div className="flex flex-wrap items-baseline justify-between gap-x-4">
        <MachineState value={value} />
        <Link
          to="/fleet"
          className="inline-flex min-h-6 items-center rounded-control text-small text-fg-2 underline underline-offset-2 hover:text-accent"
        >
          All machines
        </Link>
      </div>
      {nodes.isError && !nodes.data && (
        <Failed error={nodes.error} retry={() => void nodes.refetch()} className="" />
      )}
    </div>
  );
}
