import { useQueryClient } from "@tanstack/react-query";
import type { NodeLine } from "~/api/types";
import { renewLine } from "~/live/lines";
import { BulkDialog, countOf } from "~/ui/list/bulk";
import { nodes } from "./queries";
import { words } from "./words";

export const MACHINES = ["machine", "machines"] as const;

interface Props {
  what: "drain" | "undrain";
  targets: NodeLine[];
  onClose: () => void;
}

/** Draining many machines at once. */
export function DrainDialog({ what, targets, onClose }: Props) {
  const client = useQueryClient();
  const draining = what === "drain";
  const count = countOf(targets.length, MACHINES);
  return (
    <BulkDialog
      title={`${draining ? "Drain" : "End draining of"} ${count}`}
      lead={draining ? words.drain : "They take new sandboxes again."}
      targets={targets}
      nameOf={({ name }) => name}
      what={MACHINES}
      action={draining ? `Drain ${count}` : "End draining"}
      done={draining ? "Draining" : "Takes sandboxes"}
      act={async ({ id }) => {
        await (draining ? nodes.drain(id) : nodes.undrain(id));
        renewLine(client, id);
      }}
      onClose={onClose}
    />
  );
}
