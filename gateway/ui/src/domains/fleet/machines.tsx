import { useCallback, useMemo, useState } from "react";
import type { NodeLine } from "~/api/types";
import { Button } from "~/ui/button";
import { BulkDialog } from "./bulk";
import { NodeTable } from "./node-table";

interface Props {
  nodes: NodeLine[];
  chosen: string;
  mayManage: boolean;
}

/** The table of machines, and what can be done to those that are selected. */
export function Machines({ nodes, chosen, mayManage }: Props) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [bulk, setBulk] = useState<"drain" | "undrain">();
  const select = useCallback(
    (ids: string[], on: boolean) =>
      setSelected((before) => {
        const next = new Set(before);
        for (const id of ids) {
          if (on) next.add(id);
          else next.delete(id);
        }
        return next;
      }),
    [],
  );
  // Machines that a filter hides are not acted on: nobody sees that they are chosen.
  const targets = useMemo(
    () => nodes.filter((node) => selected.has(node.id) && node.status !== "pending"),
    [nodes, selected],
  );
  return (
    <>
      {targets.length > 0 && (
        <div
          role="toolbar"
          aria-label="Selected machines"
          className="sticky top-11 z-10 flex flex-wrap items-center gap-2 rounded-panel border border-accent/50 bg-raised px-3 py-1.5"
        >
          <span className="mr-auto">{targets.length} selected</span>
          <Button onClick={() => setBulk("drain")}>Drain…</Button>
          <Button onClick={() => setBulk("undrain")}>End draining…</Button>
          <Button look="quiet" onClick={() => setSelected(new Set())}>
            Clear
          </Button>
        </div>
      )}
      <NodeTable
        nodes={nodes}
        chosen={chosen}
        selected={selected}
        onSelect={mayManage ? select : undefined}
      />
      {bulk && <BulkDialog what={bulk} targets={targets} onClose={() => setBulk(undefined)} />}
    </>
  );
}
