// Teams, runs and missions by name, for the palette alone: nothing else of the frame asks for them.
import { gatewayNow } from "~/api/clock";
import type { QueryClient } from "@tanstack/react-query";
import { Play, Target, Workflow } from "lucide-react";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { Mission } from "~/api/missions";
import type { RunSummary } from "~/api/runs";
import type { Team } from "~/api/teams";
import type { Me } from "~/api/types";
import { missionState } from "~/domains/missions/words";
import { apart } from "~/ui/apart";
import { isolate } from "~/ui/isolate";
import { outcomeState, runState } from "~/ui/run-state";
import { span } from "~/ui/time";
import { visible } from "~/ui/visible";
import type { Choice } from "../pick/pick-list";
import { thingsOf } from "../siblings";

/** A page of each, the newest. A person who looks for an older one finds it in its list. */
const MOST = 100;

/** As long as another look is not worth a request; the live stream renews both before. */
export const FRESH_MS = 30_000;

export const name = (text: string) => visible(text).slice(0, 120) || "untitled";

export function teamEntries(teams: readonly Team[], go: (path: string) => void): Choice[] {
  const names = apart(teams.map((team) => [team.id, name(team.name)]));
  return teams.map((team) => ({
    id: `team:${team.id}`,
    group: "Teams",
    label: names.get(team.id) ?? "",
    hint: `${team.members.length} ${team.members.length === 1 ? "agent" : "agents"}`,
    icon: Workflow,
    run: () => go(`/teams/${encodeURIComponent(team.id)}`),
  }));
}

/** Names of teams and of agents by id. */
type Names = ReadonlyMap<string, string>;

/** Who works in a run. A single agent is told apart from a team. */
function workerOf({ team_id, agent_id }: RunSummary, names: Names): string[] {
  const [kind, id] = team_id ? ["team", team_id] : ["agent", agent_id];
  const found = id ? names.get(id) : undefined;
  return found !== undefined ? [isolate(`${kind} ${name(found)}`)] : id ? [`a deleted ${kind}`] : [];
}

/** How it stands, and whether the goal was met: a run that came to its end may have been rejected. */
const standing = (run: RunSummary) =>
  [runState(run).word, outcomeState(run)?.word].filter((word) => word !== undefined);

export function runEntries(runs: readonly RunSummary[], names: Names, go: (path: string) => void): Choice[] {
  return runs.map((run) => ({
    id: `run:${run.id}`,
    group: "Runs",
    label: name(run.title),
    hint: [
      ...workerOf(run, names),
      ...standing(run),
      `${span(gatewayNow() - Date.parse(run.created_at))} ago`,
    ].join(", "),
    icon: Play,
    run: () => go(`/runs/${encodeURIComponent(run.id)}`),
  }));
}

export function missionEntries(missions: readonly Mission[], go: (path: string) => void): Choice[] {
  return missions.map((mission) => ({
    id: `mission:${mission.id}`,
    group: "Missions",
    label: name(mission.title),
    hint: `${missionState(mission).word}, ${span(gatewayNow() - Date.parse(mission.created_at))} ago`,
    icon: Target,
    run: () => go(`/missions/${encodeURIComponent(mission.id)}`),
  }));
}

const newestFirst = (a: RunSummary, b: RunSummary) => Date.parse(b.created_at) - Date.parse(a.created_at);

/** What the person may read of each; a list that cannot be had leaves its things out. */
export async function workEntries(
  client: QueryClient,
  me: Me,
  go: (path: string) => void,
): Promise<Choice[]> {
  const list = <T>(key: readonly unknown[], ask: (signal: AbortSignal) => Promise<{ items: T[] }>) =>
    client
      .fetchQuery({
        queryKey: [...key, "palette"],
        queryFn: ({ signal }) => ask(signal),
        staleTime: FRESH_MS,
      })
      .then(({ items }) => items)
      .catch((): T[] => []);
  const query = { limit: MOST };
  const may = (right: string) => me.permissions.some((one) => one === right);
  const runsOf = (origin?: "chat") =>
    may("runs.read")
      ? list([...keys.runs, origin], (signal) =>
          api.get("/api/topology-runs", { query: { ...query, origin }, signal }),
        )
      : [];
  // The gateway counts the goals of single agents as chats and leaves them out of its usual list.
  const [teams, usual, alone, missions, agents] = await Promise.all([
    may("teams.read") ? list(keys.teams, (signal) => api.get("/api/teams", { query, signal })) : [],
    runsOf(),
    runsOf("chat"),
    may("missions.read") ? list(keys.missions, (signal) => api.get("/api/missions", { query, signal })) : [],
    thingsOf(client, "agent").catch(() => []),
  ]);
  const names = new Map<string, string>([...teams, ...agents].map((one) => [one.id, one.name]));
  const runs = [...usual, ...alone].toSorted(newestFirst);
  return [...teamEntries(teams, go), ...missionEntries(missions, go), ...runEntries(runs, names, go)];
}
