import { useMutation, useQueryClient, type UseQueryResult } from "@tanstack/react-query";
import { useState } from "react";
import { keys } from "~/api/keys";
import { useMay } from "~/api/may";
import { asProblem } from "~/api/problem";
import type { RepoConnection } from "~/api/types";
import { Button } from "~/ui/button";
import { Confirm } from "~/ui/dialog";
import { isolate } from "~/ui/isolate";
import { Person } from "~/ui/person";
import { Panel } from "~/ui/panel";
import { ProblemNote } from "~/ui/problem";
import { Stale } from "~/ui/stale";
import { Status } from "~/ui/status";
import { Ago } from "~/ui/time";
import { disconnect, sync } from "./queries";
import { hostOf, HOSTS, leftOut, stateOf } from "./words";

function Line({ one, onRemove }: { one: RepoConnection; onRemove: () => void }) {
  const client = useQueryClient();
  const may = useMay();
  const again = useMutation({
    mutationFn: () => sync(one.id),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.repoConnections }),
  });
  const state = stateOf(one);
  return (
    <li
      data-row
      className="flex flex-wrap items-start gap-x-4 gap-y-2 border-b border-line px-4 py-3 last:border-0"
    >
      <div className="min-w-0 flex-1 basis-64">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <bdi className="max-w-[40ch] truncate font-[550]" title={one.label}>
            {one.label}
          </bdi>
          <Status tone={state.tone} word={state.word} />
        </p>
        <p className="text-small break-words text-fg-3">
          {HOSTS[one.provider].name}
          {one.provider !== "github" && (
            <>
              {" "}
              at <bdi>{hostOf(one.base_url)}</bdi>
            </>
          )}
          {one.owner && (
            <>
              , only <bdi>{one.owner}</bdi>
            </>
          )}
          . {one.repos} {one.repos === 1 ? "repository" : "repositories"}, synced{" "}
          <Ago at={one.last_synced_at} />
          {one.created_by && (
            <>
              . Connected by <Person user={one.created_by} />
            </>
          )}
        </p>
        {one.last_sync_error && one.sync === "idle" && (
          <p className="mt-1 break-words text-failed">{one.last_sync_error}</p>
        )}
        {leftOut(one).map((said) => (
          <p key={said} className="mt-1 text-small text-fg-2">
            {said}
          </p>
        ))}
        {again.isError && <ProblemNote problem={asProblem(again.error)} className="mt-2" />}
      </div>
      <div className="flex flex-wrap gap-2">
        {may("repos.sync") && (
          <Button
            busy={again.isPending || one.sync !== "idle"}
            aria-label={`Sync ${one.label}`}
            onClick={() => again.mutate()}
          >
            Sync
          </Button>
        )}
        {may("repos.manage") && (
          <Button aria-label={`Remove ${one.label}`} onClick={onRemove}>
            Remove
          </Button>
        )}
      </div>
    </li>
  );
}

/** The hosts that repositories come from: how each stands, and what can be done about it. */
export function Connections({ query }: { query: UseQueryResult<RepoConnection[]> }) {
  const client = useQueryClient();
  const [leaving, setLeaving] = useState<RepoConnection>();
  return (
    <Panel title="Connections">
      <Stale query={query} className="m-4" />
      <ul>
        {(query.data ?? []).map((one) => (
          <Line key={one.id} one={one} onRemove={() => setLeaving(one)} />
        ))}
      </ul>
      {leaving && (
        <Confirm
          open
          onClose={() => setLeaving(undefined)}
          title={`Remove ${isolate(leaving.label.slice(0, 80))}?`}
          consequence={`Its ${leaving.repos} repositories leave this workspace, and the secret broker forgets the token. Nothing is changed at the host.`}
          action="Remove"
          run={async () => {
            await disconnect(leaving.id);
            await client.invalidateQueries({ queryKey: keys.repos });
          }}
        />
      )}
    </Panel>
  );
}
