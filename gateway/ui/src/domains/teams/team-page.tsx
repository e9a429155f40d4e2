import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { keys } from "~/api/keys";
import { useMay } from "~/api/may";
import { asProblem } from "~/api/problem";
import { runsQuery } from "~/api/runs";
import type { Team } from "~/api/teams";
import { Button } from "~/ui/button";
import { Confirm } from "~/ui/dialog";
import { Choice, Tick } from "~/ui/field";
import { isolate } from "~/ui/isolate";
import { MissingRight } from "~/ui/missing-right";
import { PageFrame } from "~/ui/page";
import { Facts, Panel } from "~/ui/panel";
import { Failed, ProblemNote } from "~/ui/problem";
import { RunTable } from "~/ui/run-table";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { bundleName, PROFILE_NAMES, profileName, profileSays } from "~/ui/template-words";
import { visible } from "~/ui/visible";
import { Goal } from "./goal";
import { Members } from "./members";
import { remove, setProfile, teamQuery } from "./queries";

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

/** What its agents may use, and with what right. */
function Use({ team, manages }: { team: Team; manages: boolean }) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (profile: string) => setProfile(team, profile),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.teams }),
  });
  return (
    <Panel title="What its agents may use">
      <Facts
        items={[
          ["Right", `${profileName(team.effective_profile)}. ${profileSays(team.effective_profile)}`],
          ["Tools", [...team.effective_bundles].map(bundleName).join(", ") || "none"],
          ["Sandbox", team.workbench_agent_id ? "one for all of them" : "one for each of them"],
          ["Model", visible(team.model_binding || "the workspace's, where a member has none")],
        ]}
      />
      {manages && (
        <div className="flex flex-col gap-3 border-t border-line px-4 py-3">
          <Choice
            label="Change the right"
            className="max-w-96"
            disabled={change.isPending}
            value={team.risk_profile ?? ""}
            onChange={(event) => change.mutate(event.target.value)}
          >
            <option value="">As the template says</option>
            {PROFILE_NAMES.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Choice>
          {change.isError && <ProblemNote problem={asProblem(change.error)} />}
        </div>
      )}
    </Panel>
  );
}

function DeleteTeam({ team }: { team: Team }) {
  const [asking, setAsking] = useState(false);
  const [agents, setAgents] = useState(false);
  const client = useQueryClient();
  const navigate = route.useNavigate();
  return (
    <>
      <Button onClick={() => setAsking(true)}>Delete team</Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={`Delete ${isolate(visible(team.name).slice(0, 80))}?`}
        action="Delete team"
        consequence="The team is gone. Its runs stay, to be read."
        run={async () => {
          await remove(team.id, agents);
          await navigate({ to: "/teams" });
          await client.invalidateQueries({ queryKey: keys.teams });
        }}
      >
        <Tick
          label={`Delete its ${team.members.length} agents as well`}
          hint="Otherwise they stay, with what they remember."
          checked={agents}
          onChange={(event) => setAgents(event.target.checked)}
        />
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
        <Failed error={team.error} retry={() => void team.refetch()} className="" />
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
