import { queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { MissionDetail } from "~/api/missions";
import { modelsQuery } from "~/api/models";
import { visible } from "~/ui/visible";
import { estimateOf } from "./estimate";
import { missionsQuery } from "./queries";

const YEAR_MS = 365 * 86_400_000;

const usedQuery = queryOptions({
  queryKey: [...keys.use, "mission", "year"],
  queryFn: ({ signal }) =>
    api.get("/api/runs/use", {
      query: { by: "mission", from: new Date(Date.now() - YEAR_MS).toISOString() },
      signal,
    }),
  staleTime: 60_000,
});

/** What the launch may cost. The line has its height before that is known. */
export function CostGuess({ mission }: { mission: MissionDetail }) {
  const models = useQuery(modelsQuery);
  const past = useQuery(missionsQuery());
  const used = useQuery(usedQuery);
  if (models.isError || past.isError || used.isError)
    return "Not known: the earlier missions could not be read.";
  if (!models.data || !past.data || !used.data) return <span className="inline-block min-h-[1lh]">…</span>;
  return visible(estimateOf(mission, past.data, used.data.rows, models.data.items));
}
