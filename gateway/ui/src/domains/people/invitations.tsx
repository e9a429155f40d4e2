import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { keys } from "~/api/keys";
import type { Invitation } from "~/api/types";
import { Button } from "~/ui/button";
import { Confirm } from "~/ui/dialog";
import { isolate } from "~/ui/isolate";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { sentence } from "~/ui/sentence";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { Ago, span, useNow } from "~/ui/time";
import { invitationsQuery, withdraw } from "./queries";

/** Links that nobody has used yet, with a way to make each useless. */
export function Invitations({ workspace }: { workspace: string }) {
  const client = useQueryClient();
  const now = useNow();
  const open = useQuery(invitationsQuery(workspace));
  const [ending, setEnding] = useState<Invitation>();
  return (
    <Panel title="Open invitations">
      {open.isPending && <Loading what="invitations" rows={1} />}
      {open.isError && !open.data && <Failed error={open.error} retry={() => void open.refetch()} />}
      <Stale query={open} className="m-4" />
      {open.data?.length === 0 && (
        <p className="px-4 py-3 text-fg-2">None. An invitation is a link that works once.</p>
      )}
      <ul>
        {open.data?.map((one) => (
          <li
            key={one.id}
            className="flex flex-wrap items-center justify-between gap-3 border-b border-line px-4 py-2 last:border-0"
          >
            <span className="min-w-0">
              <span className="line-clamp-2">
                {sentence(one.role)}
                {one.email && (
                  <span className="break-all">
                    , only for <bdi>{one.email}</bdi>
                  </span>
                )}
              </span>
              <span className="block text-small text-fg-3">
                By <bdi>{one.invited_by.name}</bdi>, <Ago at={one.created_at} />; expires in{" "}
                {span(new Date(one.expires_at).getTime() - now)}
              </span>
            </span>
            <Button onClick={() => setEnding(one)}>Withdraw</Button>
          </li>
        ))}
      </ul>
      {ending && (
        <Confirm
          open
          onClose={() => setEnding(undefined)}
          title={`Withdraw the invitation${ending.email ? ` of ${isolate(ending.email.slice(0, 80))}` : ""}?`}
          consequence="Its link stops working at once. To let the person in later, make another invitation."
          action="Withdraw"
          run={async () => {
            await withdraw(workspace, ending.id);
            await client.invalidateQueries({ queryKey: keys.invitations(workspace) });
          }}
        />
      )}
    </Panel>
  );
}
