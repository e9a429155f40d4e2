import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { Session } from "~/api/types";
import { useState } from "react";
import { Button } from "~/ui/button";
import { Confirm } from "~/ui/dialog";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { Status } from "~/ui/status";
import { Ago } from "~/ui/time";
import { clientOf } from "./device";
import { TokenDialog } from "./tokens";

const sessionsQuery = queryOptions({
  queryKey: keys.sessions,
  queryFn: async ({ signal }) => (await api.get("/api/auth/sessions", { signal })).items,
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
        token
          ? `Revoke the token ${(one.label ?? "without a name").slice(0, 80)}?`
          : `End the session of ${clientOf(one).text}?`
      }
      consequence={
        token
          ? "Programs that use it are refused at once. You can't undo this; create a new token instead."
          : "It is signed out at once."
      }
      action={token ? "Revoke" : "End"}
      run={async () => {
        await api.delete("/api/auth/sessions/{id}", { path: { id: one.id } });
        await client.invalidateQueries({ queryKey: keys.sessions });
      }}
    />
  );
}

function Row({ one, onEnd }: { one: Session; onEnd: () => void }) {
  const { text, raw } = clientOf(one);
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 border-b border-line px-4 py-2 last:border-0">
      <span className="min-w-0 break-words">
        <bdi title={raw}>{text}</bdi>
        <span className="block text-small text-fg-3">
          {one.kind === "api" ? "Created" : "Signed in"}{" "}
          <Ago at={one.created_at} never="at an unknown time" />
          {one.from_address && ` from ${one.from_address}`}, used <Ago at={one.last_seen_at} />
        </span>
      </span>
      {one.current ? (
        <Status tone="running" word="This session" />
      ) : (
        <Button onClick={onEnd}>{one.kind === "api" ? "Revoke" : "End"}</Button>
      )}
    </li>
  );
}

/** Where this account is signed in, with a way to end each. */
export function Sessions({ workspace }: { workspace: string }) {
  const [making, setMaking] = useState(false);
  const sessions = useQuery(sessionsQuery);
  const [ending, setEnding] = useState<Session>();
  return (
    <Panel title="Sessions and API tokens" aside={<Button onClick={() => setMaking(true)}>New token</Button>}>
      {making && <TokenDialog workspace={workspace} onClose={() => setMaking(false)} />}
      {sessions.isPending && <Loading what="sessions" rows={2} />}
      <Stale query={sessions} className="m-4" />
      {sessions.isError && !sessions.data && (
        <Failed error={sessions.error} retry={() => void sessions.refetch()} />
      )}
      <ul>
        {sessions.data?.map((one) => (
          <Row key={one.id} one={one} onEnd={() => setEnding(one)} />
        ))}
      </ul>
      {ending && <End one={ending} onClose={() => setEnding(undefined)} />}
    </Panel>
  );
}
