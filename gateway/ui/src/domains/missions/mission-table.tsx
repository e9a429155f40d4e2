// The list of missions as a table. Several can be selected, and changed at once.
import { useState } from "react";
import { useMay } from "~/api/may";
import type { Mission } from "~/api/missions";
import { Button } from "~/ui/button";
import { ListTable } from "~/ui/list/list-table";
import { useSelection } from "~/ui/list/selection";
import type { Sorting } from "~/ui/list/sort";
import { SelectionBar } from "~/ui/list/tick";
import { type Change, ChangeDialog, CHANGES, fitting, MISSIONS } from "./change-many";
import { OWN } from "./list";
import { COLUMNS } from "./table";

const ALL = ["pause", "resume", "cancel"] as const;

export function MissionTable({
  rows,
  chosen: filter,
  sorting,
}: {
  rows: Mission[];
  chosen: string;
  sorting: Sorting;
}) {
  const manages = useMay()("missions.manage");
  const selection = useSelection();
  const [change, setChange] = useState<Change>();
  // Missions that a filter hides are not acted on: nobody sees that they are selected.
  const chosen = rows.filter(({ id }) => selection.ids.has(id));
  return (
    <>
      <ListTable
        label="Table of missions"
        what={MISSIONS}
        columns={COLUMNS}
        rows={rows}
        nameOf={({ title }) => title}
        chosen={filter}
        sorting={sorting}
        order={OWN}
        selection={manages ? selection : undefined}
        bar={
          <SelectionBar what="missions" count={chosen.length} onClear={selection.clear}>
            {ALL.filter((one) => one === "cancel" || fitting(chosen, one).length > 0).map((one) => (
              <Button key={one} onClick={() => setChange(one)}>
                {CHANGES[one].verb}…
              </Button>
            ))}
          </SelectionBar>
        }
      />
      {change && <ChangeDialog change={change} missions={chosen} onClose={() => setChange(undefined)} />}
    </>
  );
}
