import { useMemo, useState } from "react";
import type { NodeLine } from "~/api/types";
import { Button } from "~/ui/button";
import { useSelection } from "~/ui/list/selection";
import type { Sorting } from "~/ui/list/sort";
import { SelectionBar } from "~/ui/list/tick";
import { DrainDialog } from "./bulk";
import { NodeTable } from "./node-table";

interface Props {
  nodes: NodeLine[];
  chosen: string;
  sorting: Sorting;
  mayManage: boolean;
}

/** The table of machines, and what can be done to those that are selected. */
export function Machines({ nodes, chosen, sorting, mayManage }: Props) {
  const selection = useSelection();
  const [bulk, setBulk] = useState<"drain" | "undrain">();
  // Machines that a filter hides are not acted on: nobody sees that they are chosen.
  const targets = useMemo(
    () => nodes.filter((node) => selection.ids.has(node.id) && node.status !== "pending"),
    [nodes, selection.ids],
  );
  return (
    <>
      <NodeTable
        nodes={nodes}
        chosen={chosen}
        sorting={sorting}
        selection={mayManage ? selection : undefined}
        bar={
          <SelectionBar what="machines" count={targets.length} onClear={selection.clear}>
            <Button onClick={() => setBulk("drain")}>Drain…</Button>
            <Button onClick={() => setBulk("undrain")}>End draining…</Button>
          </SelectionBar>
        }
      />
      {bulk && <DrainDialog what={bulk} targets={targets} onClose={() => setBulk(undefined)} />}
    </>
  );
}
