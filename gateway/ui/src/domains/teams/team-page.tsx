import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { keys } from "~/api/keys";
import { useMay } from "~/api/may";
import { startRun } from "~/api/runs";
import type { Team } from "~/api/teams";
import { Button } from "~/ui/button";
import { textLink } from "~/ui/class";
import { Confirm } from "~/ui/dialog";
import { Tick } from "~/ui/field";
import { Goal } from "~/ui/goal";
import { GiveWorkButton } from "~/ui/goal-draft";
import { isolate } from "~/ui/isolate";
import { MissingRight } from "~/ui/missing-right";
import { MoreMenu } from "~/ui/more-menu";
import type { FilesChoice, FilesChosen } from "~/ui/files-choice";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { RunList } from "~/ui/run-list";
import { Loading } from "~/ui/skeleton";
import type { Shown } from "~/ui/shown";
import { Stale } from "~/ui/stale";
import { TabSet } from "~/ui/tabs";
import { kindName } from "~/ui/topology/kinds";
import { visible } from "~/ui/visible";
import { WorkLacks } from "~/ui/work-lacks";
import { BackLink } from "~/ui/back-link";
import { Members } from "./members";
import { minterQuery, remove, routineQuery, teamQuery } from "./queries";
import { RecentUse } from "./recent-use";
import { ownRepo } from "./repository";
import { Use } from "./use";

const route = getRouteApi("/shell/teams/$id");

function DeleteTeam({ team }: { team: Team }) {
  const [asking, setAsking] = useState(false);
  const [agents, setAgents] = useState(false);
  const client = useQueryClient();
  const navigate = route.useNavigate();
  const purges = useMay()("claws.purge");
  return (
    <>
      <Button onClick={() => setAsking(true)}>Delete team</Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={`Delete ${isolate(visible(team.name).slice(0, 80))}?`}
        action="Delete team"
        consequence={
          purges
            ? "The team is deleted. You can still read its runs."
            : "The team is deleted. You can still read its runs. Its agents stay and keep their brains."
        }
        run={async () => {
          await remove(team.id, purges && agents);
          await navigate({ to: "/teams" });
          await client.invalidateQueries({ queryKey: keys.teams });
        }}
      >
        {purges && (
          <div className="mt-4">
            <Tick
              label="Delete its agents as well"
              hint="Only agents that were made for this team and belong to no other team are deleted. The others stay and keep their brains."
              checked={agents}
              onChange={(event) => setAgents(event.target.checked)}
            />
          </div>
        )}
      </Confirm>
    </>
  );
}

/** The routine that launched the mission of the team. A deleted routine has no page to link. */
function Launcher({ id }: { id: string }) {
  const { data: routine } = useQuery(routineQuery(id));
  if (!routine) return <>, launched by a routine</>;
  return (
    <>
      , launched by the routine{" "}
      <Link to="/routines/$id" params={{ id }} className={textLink}>
        <bdi>{visible(routine.name)}</bdi>
      </Link>
    </>
  );
}

/** How many work in it and how, and what made it. That joins the line later, so nothing moves. */
function About({ team }: { team: Team }) {
  const reads = useMay()("missions.read");
  const { data: mission } = useQuery({ ...minterQuery(team.id), enabled: reads });
  const agents = team.members.length;
  return (
    <p className="truncate text-fg-2 max-sm:whitespace-normal">
      {agents} {agents === 1 ? "agent" : "agents"} · {kindName(team.topology.kind)}
      {mission && (
        <>
          {" · "}
          Made by the mission{" "}
          <Link to="/missions/$id" params={{ id: mission.id }} className={textLink}>
            <bdi>{visible(mission.title)}</bdi>
          </Link>
          {mission.routine_id && <Launcher id={mission.routine_id} />}
        </>
      )}
    </p>
  );
}

/** Who is in it, what it may, what it has done; and the box for its next goal. */
function Overview({ team }: { team: Team }) {
  const may = useMay();
  return (
    <div className="grid min-w-0 items-start gap-4 2xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <div className="flex min-w-0 flex-col gap-4">
        {may("runs.start") ? (
          <Goal
            key={`${team.id}/${team.repo?.repo_id}/${team.repo?.base}`}
            place={`team:${team.id}`}
            who={team}
            title="Give it a goal"
            lead={<WorkLacks who={team} />}
            own={ownRepo(team)}
            start={(body, key) => startRun(team.id, body, key)}
          />
        ) : (
          <MissingRight what="give teams goals" least="member" />
        )}
        <RecentUse team={team} />
        <RunList of={{ team_id: team.id }} none="None yet. Give the team a goal." />
      </div>
      <div className="flex min-w-0 flex-col gap-4">
        <Members team={team} />
        <Use team={team} manages={may("teams.manage")} />
      </div>
    </div>
  );
}

/** What other domains draw: what happened, the sandbox that the agents share, its files, and the level-ups. */
interface Elsewhere {
  activity: (team: Team, shown: Shown) => ReactNode;
  sandbox: (team: Team) => ReactNode;
  files: (team: Team, chosen: FilesChosen) => ReactNode;
  levelUps: (team: Team, opened: string | undefined, onOpen: (id: string | undefined) => void) => ReactNode;
}

const TABS = ["overview", "activity", "sandbox", "files", "level-ups"];

type Choice = FilesChoice & Partial<Record<"tab" | "show" | "proposal", string | undefined>>;

/** An address holds what was chosen and nothing else. */
const chosen = (choice: Choice) =>
  Object.fromEntries(Object.entries(choice).filter(([, value]) => value)) as Record<string, string>;

function Tabs({ team, activity, sandbox, files, levelUps }: Elsewhere & { team: Team }) {
  const { tab, show, proposal, ...choice } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <TabSet
      value={TABS.find((one) => one === tab) ?? "overview"}
      onChange={(next) =>
        void navigate({
          search: (now) => chosen({ ...now, tab: next === "overview" ? undefined : next }),
          replace: true,
        })
      }
      items={[
        { id: "overview", label: "Overview", content: <Overview team={team} /> },
        {
          id: "activity",
          label: "Activity",
          content: activity(team, {
            show,
            onShow: (next) =>
              void navigate({
                search: (now) => chosen({ ...now, tab: "activity", show: next }),
                replace: true,
              }),
          }),
        },
        { id: "sandbox", label: "Sandbox", content: sandbox(team) },
        {
          id: "files",
          label: "Files",
          content: files(team, {
            choice,
            // Each file and snapshot is a step of the browser's history.
            onChoose: (change) =>
              void navigate({ search: (now) => chosen({ ...now, tab: "files", ...change }) }),
          }),
        },
        {
          id: "level-ups",
          label: "Level-ups",
          // Each proposal is a step of the browser's history.
          content: levelUps(
            team,
            proposal,
            (next) =>
              void navigate({ search: (now) => chosen({ ...now, tab: "level-ups", proposal: next }) }),
          ),
        },
      ]}
    />
  );
}

/** One team: its work, what happened, its sandbox and its files. */
export function TeamPage(elsewhere: Elsewhere) {
  const { id } = route.useParams();
  const team = useQuery(teamQuery(id));
  const may = useMay();
  const navigate = route.useNavigate();
  const name = team.data ? visible(team.data.name) : "…";
  return (
    <PageFrame
      wide
      crumbs={[{ label: "Teams", to: "/teams" }, { label: name }]}
      actions={
        team.data && (
          <>
            {may("teams.manage") && (
              <MoreMenu>
                <DeleteTeam team={team.data} />
              </MoreMenu>
            )}
            {may("runs.start") && (
              <GiveWorkButton
                onShow={() =>
                  void navigate({
                    search: (now) => chosen({ ...now, tab: undefined }),
                    replace: true,
                    resetScroll: false,
                  })
                }
              />
            )}
          </>
        )
      }
    >
      {team.isPending && <Loading what="the team" rows={5} />}
      {team.isError && !team.data && (
        <Failed
          error={team.error}
          retry={() => void team.refetch()}
          gone={<BackLink to="/teams">All teams</BackLink>}
          className=""
        />
      )}
      {team.data && (
        <>
          <div className="flex min-w-0 flex-col">
            <h1 className="text-head-1 break-words">
              <bdi>{name}</bdi>
            </h1>
            <About team={team.data} />
          </div>
          {team.data.description && <p className="break-words text-fg-2">{visible(team.data.description)}</p>}
          <Stale query={team} />
          <Tabs key={id} team={team.data} {...elsewhere} />
        </>
      )}
    </PageFrame>
  );
}
