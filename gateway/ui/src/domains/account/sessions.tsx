import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { Page, Session } from "~/api/types";
import { useState } from "react";
import { Button } from "~/ui/button";
import { Confirm } from "~/ui/dialog";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { Status } from "~/ui/status";
import { Ago } from "~/ui/time";
import { TokenDialog } from "./tokens";

const sessionsQuery = queryOptions({
  queryKey: keys.sessions,
  queryFn: async ({ signal }) => (await api.get<Page<Session>>("/api/auth/sessions", { signal })).items,
  staleTime: 0,
});

function End({ one, onClose }: { one: Session; onClose: () => void }) {
  const client = useQueryClient();
  const token = one.kind === "api";
  return (
    <Confirm
      open
      onClose={onClose}
      title={
        token ? `Revoke the token ${(one.label ?? "without a name").slice(0, 80)}?` : "End this sign-in?"
      }
      consequence={
        token
          ? "Whatever uses it is refused at once. A revoked token never comes back; make another one instead."
          : "Its open pages end at once, and whoever sits there has to sign in again."
      }
      action={token ? "Revoke" : "End"}
      run={async () => {
        await api.delete<void>(`/api/auth/sessions/${encodeURIComponent(one.id)}`);
        await client.invalidateQueries({ queryKey: keys.sessions });
      }}
    />
  );
}

/** Where this account is signed in, with a way to end each. */
export function Sessions({ workspace }: { workspace: string }) {
  const [making, setMaking] = useState(false);
  const sessions = useQuery(sessionsQuery);
  const [ending, setEnding] = useState<Session>();
  return (
    <Panel title="Sign-ins and tokens" aside={<Button onClick={() => setMaking(true)}>New token</Button>}>
      {making && <TokenDialog workspace={workspace} onClose={() => setMaking(false)} />}
      {sessions.isPending && <Loading what="sessions" rows={2} />}
      <Stale query={sessions} className="m-4" />
      {sessions.isError && !sessions.data && (
        <Failed error={sessions.error} retry={() => void sessions.refetch()} />
      )}
      <ul>
        {sessions.data?.map((one) => (
          <li
            key={one.id}
            className="flex flex-wrap items-center justify-between gap-3 border-b border-line px-4 py-2 last:border-0"
          >
            <span className="min-w-0 break-words">
              <bdi>
                {one.kind === "api" ? `Token: ${one.label ?? "without a name"}` : (one.device ?? "Browser")}
              </bdi>
              <span className="block text-small text-fg-3">
                {one.kind === "api" ? "Made" : "Signed in"}{" "}
                <Ago at={one.created_at} never="at an unknown time" />
                {one.from_address && ` from ${one.from_address}`}, used <Ago at={one.last_seen_at} />
              </span>
            </span>
            {one.current ? (
              <Status tone="running" word="This one" />
            ) : (
              <Button onClick={() => setEnding(one)}>{one.kind === "api" ? "Revoke" : "End"}</Button>
            )}
          </li>
        ))}
      </ul>
      {ending && <End one={ending} onClose={() => setEnding(undefined)} />}
    </Panel>
  );
}
