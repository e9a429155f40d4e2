import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useMay } from "~/api/may";
import { missionQuery, type MissionDetail } from "~/api/missions";
import { BackLink } from "~/ui/back-link";
import { Fold } from "~/ui/fold";
import { Markdown } from "~/ui/markdown/markdown";
import { PageFrame } from "~/ui/page";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { visible } from "~/ui/visible";
import { Artifacts } from "./artifacts";
import { MissionHead } from "./head";
import { Launch } from "./launch";
import { useRunMoves } from "./live";
import { PhasePanel } from "./phase-panel";
import { TaskBoard } from "./tasks";
import { PhaseTimeline } from "./timeline";
import { firstShown, isFinal } from "./words";
import { WorldView } from "./world-view";

const route = getRouteApi("/shell/missions/$id");

/** The goal of a mission that works is folded, because its results matter more then. */
function Goal({ mission }: { mission: MissionDetail }) {
  if (mission.goal === "") return null;
  const text = <Markdown text={mission.goal} what="the goal" />;
  if (mission.status === "draft")
    return (
      <Panel title="Goal">
        <div className="px-4 py-3">{text}</div>
      </Panel>
    );
  return (
    <Fold id="goal" title="Goal" summary="Show the goal">
      <div className="px-4 py-3">{text}</div>
    </Fold>
  );
}

/** What another domain draws: the mission's own sandbox. */
interface Elsewhere {
  sandbox: (mission: MissionDetail, lives: boolean) => ReactNode;
}

function Whole({ mission, sandbox }: Elsewhere & { mission: MissionDetail }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const manages = useMay()("missions.manage");
  useRunMoves(mission);
  const draft = mission.status === "draft";
  const phase =
    mission.phase_details.find(({ id }) => id === search.phase) ?? (draft ? undefined : firstShown(mission));
  const look = (phaseId: string | undefined, artifact: string | undefined) =>
    void navigate({
      search: ({ shell }) => ({
        ...(phaseId && { phase: phaseId }),
        ...(artifact && { artifact }),
        ...(shell && { shell }),
      }),
      replace: true,
      resetScroll: false,
    });
  return (
    <>
      <MissionHead mission={mission} manages={manages} />
      {draft && <Launch mission={mission} />}
      <Goal mission={mission} />
      {!draft && (
        <PhaseTimeline mission={mission} chosen={phase?.id} onChoose={(id) => look(id, search.artifact)} />
      )}
      {(mission.status === "running" || mission.status === "paused") && <WorldView mission={mission} />}
      {phase && <PhasePanel mission={mission} phase={phase} />}
      {!draft && <TaskBoard mission={mission} phase={phase} />}
      {!draft && (
        <Artifacts
          mission={mission}
          chosen={search.artifact}
          onChoose={(artifact) => look(search.phase, artifact)}
        />
      )}
      {!draft && sandbox(mission, !isFinal(mission.status))}
    </>
  );
}

/** One mission: what it does now, and what its phases left. */
export function MissionPage(elsewhere: Elsewhere) {
  const { id } = route.useParams();
  const mission = useQuery(missionQuery(id));
  const title = mission.data ? visible(mission.data.title) : "…";
  return (
    <PageFrame wide crumbs={[{ label: "Missions", to: "/missions" }, { label: title }]}>
      {mission.isPending && <Loading what="the mission" rows={6} />}
      {mission.isError && !mission.data && (
        <Failed
          error={mission.error}
          retry={() => void mission.refetch()}
          gone={<BackLink to="/missions">All missions</BackLink>}
          className=""
        />
      )}
      {mission.data && (
        <>
          <Stale query={mission} />
          <Whole key={id} mission={mission.data} {...elsewhere} />
        </>
      )}
    </PageFrame>
  );
}
