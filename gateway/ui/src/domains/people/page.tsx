import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useMay } from "~/api/may";
import { meQuery } from "~/api/me";
import { Button } from "~/ui/button";
import { MissingRight } from "~/ui/missing-right";
import { PageFrame } from "~/ui/page";
import { Invitations } from "./invitations";
import { InviteDialog } from "./invite-dialog";
import { Members } from "./members";
import { membersQuery } from "./queries";

export function MembersPage() {
  const me = useQuery(meQuery);
  const may = useMay();
  const listed = useQuery({
    ...membersQuery(me.data?.workspace.id ?? ""),
    enabled: me.data !== undefined,
  });
  const [inviting, setInviting] = useState(false);
  if (!me.data) return null;
  const { workspace, role } = me.data;
  const manages = may("members.manage");
  return (
    <PageFrame
      wide
      crumbs={[{ label: "Members" }]}
      actions={
        manages && (
          <Button look="primary" onClick={() => setInviting(true)}>
            Invite
          </Button>
        )
      }
    >
      <h1 className="text-head-1">Members</h1>
      <Members me={me.data} manages={manages} />
      {!manages && <MissingRight what="invite people or change their roles" least="admin" />}
      {/* Below what has its size already, so that it never moves. */}
      {manages && !listed.isPending && <Invitations workspace={workspace.id} />}
      {inviting && <InviteDialog workspace={workspace.id} own={role} onClose={() => setInviting(false)} />}
    </PageFrame>
  );
}
