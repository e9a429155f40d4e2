import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { AlarmClock, Plus } from "lucide-react";
import { useMay } from "~/api/may";
import { routinesQuery, type Routine } from "~/api/routines";
import { DASH } from "~/ui/bytes";
import { buttonClass } from "~/ui/button";
import { DataTable, type Column } from "~/ui/data-table";
import { Empty } from "~/ui/empty";
import { MissingRight } from "~/ui/missing-right";
import { PageFrame } from "~/ui/page";
import { Panel } from "~/ui/panel";
import { QueryView } from "~/ui/query-view";
import { Status } from "~/ui/status";
import { visible } from "~/ui/visible";
import { dueTime, firingState, routineState } from "./words";

const COLUMNS: Column<Routine>[] = [
  {
    name: "Routine",
    show: ({ id, name, words }) => (
      <>
        <Link
          to="/routines/$id"
          params={{ id }}
          className="block truncate rounded-control font-[550] hover:text-accent hover:underline"
        >
          <bdi>{visible(name)}</bdi>
        </Link>
        <span className="block text-small text-fg-3">{visible(words)}</span>
      </>
    ),
  },
  { name: "State", look: "w-36", show: (routine) => <Status {...routineState(routine)} /> },
  {
    name: "Next due",
    look: "w-44 max-sm:hidden",
    cell: "whitespace-nowrap text-fg-2",
    show: ({ next_due: [next], enabled }) => (next && enabled ? dueTime(next) : DASH),
  },
  {
    name: "Last",
    look: "w-32 max-md:hidden",
    show: ({ last }) => (last ? <Status {...firingState(last)} title={last.reason ?? undefined} /> : DASH),
  },
];

/** All routines of the workspace. */
export function RoutinesPage() {
  const routines = useQuery(routinesQuery);
  const manages = useMay()("routines.manage");
  const make = manages && (
    <Link to="/routines/new" className={buttonClass("primary")}>
      <Plus size={14} aria-hidden />
      New routine
    </Link>
  );
  const none = routines.data?.length === 0;
  return (
    <PageFrame wide crumbs={[{ label: "Routines" }]} actions={none ? undefined : make}>
      <h1 className="text-head-1">Routines</h1>
      <QueryView query={routines} what="routines" rows={4}>
        {(all) =>
          all.length === 0 ? (
            <Empty
              icon={<AlarmClock size={32} strokeWidth={1.5} aria-hidden />}
              title="No routines yet"
              action={make}
            >
              A routine starts work by a schedule: a team that works once and is then deleted, or a mission.
              {!manages && <MissingRight what="make routines" least="member" />}
            </Empty>
          ) : (
            <Panel title="All routines">
              <DataTable caption="Table of routines" columns={COLUMNS} rows={all} keyOf={({ id }) => id} />
            </Panel>
          )
        }
      </QueryView>
    </PageFrame>
  );
}
