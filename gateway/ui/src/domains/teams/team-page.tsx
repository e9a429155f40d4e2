import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { keys } from "~/api/keys";
import { useMay } from "~/api/may";
import { runsQuery } from "~/api/runs";
import type { Team } from "~/api/teams";
import { Button } from "~/ui/button";
import { Confirm } from "~/ui/dialog";
import { Tick } from "~/ui/field";
import { isolate } from "~/ui/isolate";
import { MissingRight } from "~/ui/missing-right";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { RunTable } from "~/ui/run-table";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { visible } from "~/ui/visible";
import { BackLink } from "~/ui/back-link";
import { Goal } from "./goal";
import { Members } from "./members";
import { remove, teamQuery } from "./queries";
import { Use } from "./use";

const route = getRouteApi("/shell/teams/$id");

function Runs({ team }: { team: string }) {
  const runs = useInfiniteQuery(runsQuery({ team_id: team }));
  const all = runs.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section aria-label="Runs" className="flex min-w-0 flex-col gap-2">
      <h2 className="text-head-2">Runs</h2>
      <Stale query={runs} />
      {runs.isPending && (
        <Loading what="runs" rows={2} className="rounded-panel border border-line bg-surface" />
      )}
      {runs.isError && !runs.data && (
        <Failed error={runs.error} retry={() => void runs.refetch()} className="" />
      )}
      {runs.data && all.length === 0 && <p className="text-fg-2">None yet. Give the team a goal.</p>}
      {all.length > 0 && (
        <RunTable
          runs={all}
          chosen={String(runs.data?.pages.length)}
          more={{
            has: runs.hasNextPage,
            busy: runs.isFetchingNextPage,
            load: () => void runs.fetchNextPage(),
          }}
        />
      )}
    </section>
  );
}

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
          <Tick
            label="Delete its agents as well"
            hint="Only agents that were made for this team and belong to no other team are deleted. The others stay and keep their brains."
            checked={agents}
            onChange={(event) => setAgents(event.target.checked)}
          />
        )}
      </Confirm>
    </>
  );
}

/** One team: who is in it, what it may, what it has done; and the box for its next goal. */
export function TeamPage() {
  const { id } = route.useParams();
  const team = useQuery(teamQuery(id));
  const may = useMay();
  const name = team.data ? visible(team.data.name) : "…";
  return (
    <PageFrame
      crumbs={[{ label: "Teams", to: "/teams" }, { label: name }]}
      actions={team.data && may("teams.manage") && <DeleteTeam team={team.data} />}
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
          <h1 className="text-head-1 break-words">
            <bdi>{name}</bdi>
          </h1>
          {team.data.description && <p className="break-words text-fg-2">{visible(team.data.description)}</p>}
          <Stale query={team} />
          {may("runs.start") ? (
            <Goal key={id} team={team.data} />
          ) : (
            <MissingRight what="give teams goals" least="member" />
          )}
          <Members team={team.data} />
          <Runs team={id} />
          <Use team={team.data} manages={may("teams.manage")} />
        </>
      )}
    </PageFrame>
  );
}
