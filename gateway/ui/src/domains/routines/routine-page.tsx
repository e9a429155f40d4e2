import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { keys } from "~/api/keys";
import { useMay } from "~/api/may";
import { asProblem, type Problem } from "~/api/problem";
import {
  changeRoutine,
  deleteRoutine,
  fireRoutine,
  journalQuery,
  routineQuery,
  type Routine,
  type RoutineFiring,
} from "~/api/routines";
import { renew } from "~/live/renew";
import { DASH } from "~/ui/bytes";
import { Button } from "~/ui/button";
import { DataTable, type Column } from "~/ui/data-table";
import { Confirm } from "~/ui/dialog";
import { PageFrame } from "~/ui/page";
import { Facts, Panel } from "~/ui/panel";
import { ProblemNote } from "~/ui/problem";
import { QueryView } from "~/ui/query-view";
import { Status } from "~/ui/status";
import { Person } from "~/ui/person";
import { visible } from "~/ui/visible";
import { partsChanged } from "./draft";
import { DueLine } from "./due-line";
import { EditRoutine } from "./edit";
import type { DrawMission } from "./fields";
import {
  dueTime,
  causeWord,
  firingState,
  goalOf,
  MISSED,
  OVERLAP,
  routineState,
  startsWord,
  limitOf,
  modelOf,
} from "./words";

const route = getRouteApi("/shell/routines/$id");
const LINK = "rounded-control text-accent hover:underline";

function Started({ firing: { run_id, mission_id, reason } }: { firing: RoutineFiring }) {
  return (
    <span className="flex flex-col">
      {run_id && (
        <Link to="/runs/$id" params={{ id: run_id }} className={LINK}>
          Its run
        </Link>
      )}
      {mission_id && (
        <Link to="/missions/$id" params={{ id: mission_id }} className={LINK}>
          Its mission
        </Link>
      )}
      {reason && <span className="text-fg-2">{visible(reason)}</span>}
      {!run_id && !mission_id && !reason && DASH}
    </span>
  );
}

const JOURNAL: Column<RoutineFiring>[] = [
  {
    name: "Due",
    look: "w-44",
    cell: "whitespace-nowrap",
    show: ({ due_at, due_times }) => (
      <>
        {dueTime(due_at)}
        {due_times > 1 && <span className="block text-small text-fg-3">{due_times} due times</span>}
      </>
    ),
  },
  { name: "State", look: "w-32", show: (firing) => <Status {...firingState(firing)} /> },
  { name: "Started", look: "w-32 max-sm:hidden", cell: "text-fg-2", show: causeWord },
  { name: "What", show: (firing) => <Started firing={firing} /> },
];

interface ActionsProps {
  routine: Routine;
  onEdit: () => void;
  onProblem: (problem?: Problem) => void;
}

function Actions({ routine, onEdit, onProblem }: ActionsProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [busy, setBusy] = useState("");
  const [asks, setAsks] = useState(false);
  const { id, enabled } = routine;
  const act = async (name: string, send: () => Promise<unknown>) => {
    setBusy(name);
    onProblem();
    try {
      await send();
      await renew(client, { queryKey: keys.routines });
    } catch (error) {
      onProblem(asProblem(error));
    } finally {
      setBusy("");
    }
  };
  /** From the version that the page shows. Over a change of somebody else, the person looks first. */
  const switchTo = async (wanted: boolean) => {
    try {
      await changeRoutine(id, { enabled: wanted }, routine.version);
    } catch (error) {
      if (asProblem(error).status !== 412) throw error;
      const fresh = await client.fetchQuery({ ...routineQuery(id), staleTime: 0 });
      if (fresh.enabled === wanted) return;
      if (partsChanged(routine, fresh).length > 0) throw error;
      // A start writes a version too, and it changes nothing that a person decided.
      await changeRoutine(id, { enabled: wanted }, fresh.version);
    }
  };
  return (
    <>
      <Button busy={busy === "fire"} onClick={() => void act("fire", () => fireRoutine(id))}>
        Start now
      </Button>
      <Button busy={busy === "pause"} onClick={() => void act("pause", () => switchTo(!enabled))}>
        {enabled ? "Pause" : "Resume"}
      </Button>
      <Button onClick={onEdit}>Edit</Button>
      <Button look="danger" onClick={() => setAsks(true)}>
        Delete
      </Button>
      <Confirm
        open={asks}
        onClose={() => setAsks(false)}
        title="Delete this routine?"
        consequence="The routine and its journal are deleted. What it started goes on."
        action="Delete routine"
        run={async () => {
          await deleteRoutine(id);
          await renew(client, { queryKey: keys.routines });
          await navigate({ to: "/routines" });
        }}
      />
    </>
  );
}

function Shown({ routine }: { routine: Routine }) {
  const { recipe } = routine;
  const journal = useQuery(journalQuery(routine.id));
  return (
    <>
      <Panel title="Next starts" aside={<Status {...routineState(routine)} />}>
        <div className="px-4 py-3">
          {routine.enabled ? (
            <DueLine due={routine.next_due} words={visible(routine.words)} />
          ) : (
            <p className="text-fg-2">{visible(routine.words)}. The routine is paused.</p>
          )}
        </div>
      </Panel>
      <Panel title="What it does">
        <Facts
          items={[
            ["Starts", startsWord(recipe)],
            [
              "Goal",
              <span key="goal" className="break-words whitespace-pre-wrap">
                {visible(goalOf(recipe))}
              </span>,
            ],
            ["Model", visible(modelOf(recipe) ?? "as each agent is set")],
            ["Cost limit", limitOf(recipe)],
            ["After a downtime", MISSED[routine.missed]],
            ["Overlap", OVERLAP[routine.overlap]],
            ["Acts for", routine.created_by ? <Person key="by" user={routine.created_by} /> : DASH],
          ]}
        />
      </Panel>
      <Panel title="Journal">
        <QueryView query={journal} what="the journal">
          {({ items }) => (
            <DataTable
              caption="Journal of the routine"
              columns={JOURNAL}
              rows={items}
              keyOf={({ id }) => id}
              empty={<p className="px-4 py-3 text-fg-3">Nothing was due yet.</p>}
            />
          )}
        </QueryView>
      </Panel>
    </>
  );
}

/** One routine: its next starts, what it does, and its journal. */
export function RoutinePage({ mission }: { mission: DrawMission }) {
  const { id } = route.useParams();
  const routine = useQuery(routineQuery(id));
  const manages = useMay()("routines.manage");
  const [problem, setProblem] = useState<Problem>();
  const [edited, setEdited] = useState<string>();
  const edits = edited === id;
  const name = visible(routine.data?.name ?? "Routine");
  const edit = () => {
    setProblem(undefined);
    setEdited(id);
  };
  return (
    <PageFrame
      crumbs={[{ label: "Routines", to: "/routines" }, { label: name }]}
      actions={
        manages &&
        routine.data &&
        !edits && <Actions routine={routine.data} onEdit={edit} onProblem={setProblem} />
      }
    >
      <h1 className="text-head-1">
        <bdi>{name}</bdi>
      </h1>
      {problem && <ProblemNote problem={problem} />}
      <QueryView query={routine} what="the routine" rows={6}>
        {(found) =>
          edits ? (
            <EditRoutine routine={found} mission={mission} onEnd={() => setEdited(undefined)} />
          ) : (
            <Shown routine={found} />
          )
        }
      </QueryView>
    </PageFrame>
  );
}
