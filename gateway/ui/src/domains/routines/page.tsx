import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { AlarmClock, Pause, Play, Plus, Trash2 } from "lucide-react";
import { useMemo, useState } from "react";
import { useMay } from "~/api/may";
import { routinesQuery, type Routine } from "~/api/routines";
import { DASH } from "~/ui/bytes";
import { Button, buttonClass } from "~/ui/button";
import { Empty } from "~/ui/empty";
import { FilterField } from "~/ui/filter-field";
import { ListTable, type ListColumn } from "~/ui/list/list-table";
import { cleared, type Filters } from "~/ui/list/saved";
import { useSelection } from "~/ui/list/selection";
import { SelectionBar } from "~/ui/list/tick";
import { Views } from "~/ui/list/views";
import { MissingRight } from "~/ui/missing-right";
import { PageFrame } from "~/ui/page";
import { QueryView } from "~/ui/query-view";
import { Status } from "~/ui/status";
import { visible } from "~/ui/visible";
import { type Change, ChangeDialog, CHANGES, ROUTINES } from "./change-many";
import { nextDue, OWN, readAsked, shown, sorted } from "./list";
import { dueTime, firingState, routineState } from "./words";

const route = getRouteApi("/shell/routines");

const BUILT = [
  { name: "Next due", filters: { sort: "due" } },
  { name: "Paused", filters: { q: "paused" } },
];

const ICONS = [
  ["pause", Pause],
  ["resume", Play],
  ["delete", Trash2],
] as const;

const dueWord = (routine: Routine) => {
  const next = nextDue(routine);
  return next ? dueTime(next) : DASH;
};

/** The widths do not follow the words, so a routine that starts moves nothing. */
const COLUMNS: ListColumn<Routine>[] = [
  {
    name: "Routine",
    orders: ["name", "-name"],
    show: (routine) => (
      <>
        <Link
          to="/routines/$id"
          params={{ id: routine.id }}
          title={routine.name}
          className="block truncate rounded-control font-[550] hover:text-accent hover:underline"
        >
          <bdi>{visible(routine.name)}</bdi>
        </Link>
        <span className="block truncate text-small text-fg-3" title={routine.words}>
          {visible(routine.words)}
        </span>
        <span className="block truncate text-small text-fg-3 sm:hidden">{dueWord(routine)}</span>
      </>
    ),
  },
  {
    name: "State",
    look: "w-36 max-sm:w-32 max-sm:px-2",
    orders: ["state", "-state"],
    show: (routine) => <Status {...routineState(routine)} />,
  },
  {
    name: "Next due",
    look: "w-44 max-sm:hidden",
    cell: "whitespace-nowrap text-fg-2",
    orders: ["due", "-due"],
    show: dueWord,
  },
  {
    name: "Last",
    look: "w-32 max-md:hidden",
    show: ({ last }) => (last ? <Status {...firingState(last)} title={last.reason ?? undefined} /> : DASH),
  },
];

/** The routines that fit the filter, in the order of the address. */
function List({ all, asked, look }: { all: Routine[]; asked: Filters; look: (change: Filters) => void }) {
  const { q = "", sort = "" } = asked;
  const rows = useMemo(() => sorted(shown(all, q), sort || OWN), [all, q, sort]);
  const manages = useMay()("routines.manage");
  const selection = useSelection();
  const [change, setChange] = useState<Change>();
  // Routines that the filter hides are not acted on: nobody sees that they are chosen.
  const selected = useMemo(() => rows.filter(({ id }) => selection.ids.has(id)), [rows, selection.ids]);
  return (
    <>
      <Views list="routines" filters={asked} built={BUILT} />
      <FilterField
        label="Filter by name, schedule or state"
        value={q}
        onChange={(text) => look({ q: text })}
      />
      {rows.length > 0 ? (
        <ListTable
          label="Table of routines"
          what={ROUTINES}
          columns={COLUMNS}
          rows={rows}
          nameOf={({ name }) => name}
          chosen={JSON.stringify(asked)}
          sorting={{ by: sort, onSort: (by) => look({ sort: by }) }}
          order={OWN}
          selection={manages ? selection : undefined}
          bar={
            <SelectionBar what="routines" count={selected.length} onClear={selection.clear}>
              {ICONS.map(([one, Icon]) => (
                <Button key={one} icon={<Icon size={14} aria-hidden />} onClick={() => setChange(one)}>
                  {CHANGES[one].verb}…
                </Button>
              ))}
            </SelectionBar>
          }
        />
      ) : (
        <Empty
          title="No routine fits the filter"
          action={<Button onClick={() => look({ q: "" })}>Clear filter</Button>}
        />
      )}
      {change && <ChangeDialog change={change} routines={selected} onClose={() => setChange(undefined)} />}
    </>
  );
}

/** All routines of the workspace. */
export function RoutinesPage() {
  const asked = readAsked(route.useSearch());
  const navigate = route.useNavigate();
  const routines = useQuery(routinesQuery);
  const manages = useMay()("routines.manage");
  const look = (change: Filters) =>
    void navigate({ search: (now) => cleared({ ...now, ...change }), replace: true });
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
            <List all={all} asked={asked} look={look} />
          )
        }
      </QueryView>
    </PageFrame>
  );
}
