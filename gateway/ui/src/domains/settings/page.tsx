import { useQuery } from "@tanstack/react-query";
import { meQuery } from "~/api/me";
import { Appearance } from "./appearance";
import { DeleteWorkspace } from "./delete-workspace";
import { Plans, PublicAddress } from "./deployment";
import { SettingsFrame, type Part } from "./frame";
import { Keys } from "./keys";
import { WorkspaceName } from "./workspace-name";
import { WorkspacePlan } from "./workspace-plan";
import { WorkspaceFiles, WorkspacePushes } from "./workspace-settings";

export function SettingsPage({ parts }: { parts: Part[] }) {
  const me = useQuery(meQuery);
  if (!me.data) return null;
  const { workspace } = me.data;
  return (
    <SettingsFrame parts={parts}>
      <h2 className="text-head-2">This browser</h2>
      <Appearance />
      <Keys />
      <h2 className="mt-4 text-head-2">
        The workspace <bdi>{workspace.name}</bdi>
      </h2>
      <WorkspaceName key={`name of ${workspace.id}`} workspace={workspace} />
      <WorkspacePlan key={workspace.id} me={me.data} />
      <WorkspacePushes key={`pushes of ${workspace.id}`} workspace={workspace.id} />
      <WorkspaceFiles key={`files of ${workspace.id}`} workspace={workspace.id} />
      <DeleteWorkspace me={me.data} />
      {me.data.operator && (
        <>
          <h2 className="mt-4 text-head-2">This deployment</h2>
          <PublicAddress />
          <Plans />
        </>
      )}
    </SettingsFrame>
  );
}
