import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import type { Page, Session } from "~/api/types";
import { useState } from "react";
import { Button } from "~/ui/button";
import { Panel } from "~/ui/panel";
import { Failed, ProblemNote } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Status } from "~/ui/status";
import { Ago } from "~/ui/time";
import { TokenDialog } from "./tokens";

const sessionsQuery = queryOptions({
  queryKey: keys.sessions,
  queryFn: async ({ signal }) => (await api.get<Page<Session>>("/api/auth/sessions", { signal })).items,
  staleTime: 0,
});

/** Where this account is signed in, with a way to end each. */
export function Sessions({ workspace }: { workspace: string }) {
  const [making, setMaking] = useState(false);
  const client = useQueryClient();
  const sessions = useQuery(sessionsQuery);
  const end = useMutation({
    mutationFn: (id: string) => api.delete<void>(`/api/auth/sessions/${encodeURIComponent(id)}`),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.sessions }),
  });
  return (
    <Panel title="Sign-ins and tokens" aside={<Button onClick={() => setMaking(true)}>New token</Button>}>
      {making && <TokenDialog workspace={workspace} onClose={() => setMaking(false)} />}
      {sessions.isPending && <Loading what="sessions" rows={2} />}
      {sessions.isError && <Failed error={sessions.error} retry={() => void sessions.refetch()} />}
      {end.isError && <ProblemNote problem={asProblem(end.error)} className="m-4" />}
      <ul>
        {sessions.data?.map((one) => (
          <li
            key={one.id}
            className="flex flex-wrap items-center justify-between gap-3 border-b border-line px-4 py-2 last:border-0"
          >
            <span className="min-w-0 break-words">
              {one.kind === "api" ? `Token: ${one.label ?? "without a name"}` : (one.device ?? "Browser")}
              <span className="block text-small text-fg-3">
                {one.kind === "api" ? "Made" : "Signed in"}{" "}
                <Ago at={one.created_at} never="at an unknown time" />
                {one.from_address && ` from ${one.from_address}`}, used <Ago at={one.last_seen_at} />
              </span>
            </span>
            {one.current ? (
              <Status tone="running" word="This one" />
            ) : (
              <Button busy={end.isPending && end.variables === one.id} onClick={() => end.mutate(one.id)}>
                {one.kind === "api" ? "Revoke" : "End"}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
