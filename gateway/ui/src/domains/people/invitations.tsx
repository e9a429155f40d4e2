import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import { Button } from "~/ui/button";
import { Panel } from "~/ui/panel";
import { Failed, ProblemNote } from "~/ui/problem";
import { sentence } from "~/ui/sentence";
import { Loading } from "~/ui/skeleton";
import { Ago, span, useNow } from "~/ui/time";
import { invitationsQuery, withdraw } from "./queries";

/** Links that nobody has used yet, with a way to make each useless. */
export function Invitations({ workspace }: { workspace: string }) {
  const client = useQueryClient();
  const now = useNow();
  const open = useQuery(invitationsQuery(workspace));
  const end = useMutation({
    mutationFn: (id: string) => withdraw(workspace, id),
    onSettled: () => client.invalidateQueries({ queryKey: keys.invitations(workspace) }),
  });
  return (
    <Panel title="Open invitations">
      {open.isPending && <Loading what="invitations" rows={1} />}
      {open.isError && <Failed error={open.error} retry={() => void open.refetch()} />}
      {end.isError && <ProblemNote problem={asProblem(end.error)} className="m-4" />}
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
              {sentence(one.role)}
              {one.email && <span className="break-all">, only for {one.email}</span>}
              <span className="block text-small text-fg-3">
                By {one.invited_by.name}, <Ago at={one.created_at} />; good for another{" "}
                {span(new Date(one.expires_at).getTime() - now)}
              </span>
            </span>
            <Button busy={end.isPending && end.variables === one.id} onClick={() => end.mutate(one.id)}>
              Withdraw
            </Button>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
