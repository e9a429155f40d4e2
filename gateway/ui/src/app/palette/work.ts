// Teams and runs by name, for the palette alone: nothing else of the frame asks for them.
import { gatewayNow } from "~/api/clock";
import type { QueryClient } from "@tanstack/react-query";
import { Play, Workflow } from "lucide-react";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { RunSummary } from "~/api/runs";
import type { Team } from "~/api/teams";
import type { Me } from "~/api/types";
import { isolate } from "~/ui/isolate";
import { span } from "~/ui/time";
import { visible } from "~/ui/visible";
import type { Choice } from "../pick/pick-list";

/** A page of each, the newest. A person who looks for an older one finds it in its list. */
const MOST = 100;

/** As long as another look is not worth a request; the live stream renews both before. */
const FRESH_MS = 30_000;

const name = (text: string) => visible(text).slice(0, 120) || "untitled";

export function teamEntries(teams: readonly Team[], go: (path: string) => void): Choice[] {
  return teams.map((team) => ({
    id: `team:${team.id}`,
    group: "Teams",
    label: name(team.name),
    hint: `${team.members.length} ${team.members.length === 1 ? "agent" : "agents"}`,
    icon: Workflow,
    run: () => go(`/teams/${encodeURIComponent(team.id)}`),
  }));
}

export function runEntries(runs: readonly RunSummary[], go: (path: string) => void): Choice[] {
  return runs.map((run) => ({
    id: `run:${run.id}`,
    group: "Runs",
    label: name(run.title),
    hint: `${isolate(run.status)}, ${span(gatewayNow() - Date.parse(run.created_at))} ago`,
    icon: Play,
    run: () => go(`/runs/${encodeURIComponent(run.id)}`),
  }));
}

/** What the person may read of both; a list that cannot be had leaves its things out. */
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
  const [teams, runs] = await Promise.all([
    may("teams.read") ? list(keys.teams, (signal) => api.get("/api/teams", { query, signal })) : [],
    may("runs.read") ? list(keys.runs, (signal) => api.get("/api/topology-runs", { query, signal })) : [],
  ]);
  return [...teamEntries(teams, go), ...runEntries(runs, go)];
}
