import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { useMay } from "~/api/may";
import { quotaQuery } from "~/api/quota";
import type { Me } from "~/api/types";
import { tellTabs } from "~/live/tabs";
import { number } from "~/ui/bytes";
import { Button } from "~/ui/button";
import { Confirm } from "~/ui/dialog";
import { MissingRight } from "~/ui/missing-right";
import { NarrowFold } from "~/ui/fold";
import { deleteWorkspace } from "./queries";

/** What goes with it, in numbers where they are known. */
function Consequence() {
  const { data } = useQuery(quotaQuery);
  const agents = data ? `${number(data.agents.used)} agents` : "agents";
  const sandboxes = data ? `${number(data.live_containers.used)} running sandboxes` : "running sandboxes";
  return (
    <ul className="flex list-disc flex-col gap-1 pl-4 marker:text-fg-3">
      <li>All work stops at once. Everybody loses access at once, including you.</li>
      <li>
        Its {agents} with their brains, its {sandboxes} with what is in them, and their stored workspaces are
        destroyed for good.
      </li>
      <li>Its machines are removed from it; they keep running and can be paired with another workspace.</li>
      <li>The audit log stays, and says who deleted the workspace.</li>
    </ul>
  );
}

/** The one thing here that cannot be taken back. */
export function DeleteWorkspace({ me }: { me: Me }) {
  const client = useQueryClient();
  const router = useRouter();
  const may = useMay();
  const [asking, setAsking] = useState(false);
  const only = me.workspaces.length < 2;
  const { id, name } = me.workspace;
  const run = async () => {
    await deleteWorkspace(id, name);
    tellTabs({ says: "workspace" });
    await router.navigate({ to: "/" });
    await client.resetQueries();
  };
  return (
    <NarrowFold id="delete" title="Delete the workspace" summary="For good">
      <div className="flex flex-col items-start gap-4 p-4">
        {!may("workspace.delete") && <MissingRight what="delete this workspace" least="owner" />}
        {may("workspace.delete") && only && (
          <p className="text-fg-2">
            It is your only workspace, and without any you could not sign in again. Make another one first,
            with the plus sign beside the workspace's name.
          </p>
        )}
        {may("workspace.delete") && !only && (
          <>
            <Consequence />
            <Button look="danger" onClick={() => setAsking(true)}>
              Delete the workspace
            </Button>
          </>
        )}
      </div>
      {asking && (
        <Confirm
          open
          onClose={() => setAsking(false)}
          title="Delete this workspace for good?"
          consequence={<Consequence />}
          action="Delete workspace"
          typed={name}
          run={run}
        />
      )}
    </NarrowFold>
  );
}
