import { useQuery } from "@tanstack/react-query";
import { meQuery } from "~/api/me";
import { Appearance } from "./appearance";
import { DeleteWorkspace } from "./delete-workspace";
import { Plans, PublicAddress } from "./deployment";
import { SettingsFrame, type Part } from "./frame";
import { Keys } from "./keys";
import { WorkspaceName } from "./workspace-name";
import { WorkspacePlan } from "./workspace-plan";
import { WorkspaceFiles, WorkspacePushes, WorkspaceWorkflows } from "./workspace-settings";

/** Short panels stand side by side where two are wide enough. */
const PAIRS = "grid min-w-0 items-start gap-4 xl:grid-cols-2 2xl:grid-cols-3";

export function SettingsPage({ parts }: { parts: Part[] }) {
  const me = useQuery(meQuery);
  if (!me.data) return null;
  const { workspace } = me.data;
  return (
    <SettingsFrame parts={parts} wide>
      <h2 className="text-head-2">This browser</h2>
      <div className={PAIRS}>
        <Appearance />
        <Keys />
      </div>
      <h2 className="mt-4 text-head-2">
        The workspace <bdi>{workspace.name}</bdi>
      </h2>
      <div className={PAIRS}>
        <WorkspaceName key={`name of ${workspace.id}`} workspace={workspace} />
        <WorkspacePlan key={workspace.id} me={me.data} />
        <WorkspacePushes key={`pushes of ${workspace.id}`} workspace={workspace.id} />
        <WorkspaceWorkflows key={`workflows of ${workspace.id}`} workspace={workspace.id} />
        <WorkspaceFiles key={`files of ${workspace.id}`} workspace={workspace.id} />
      </div>
      <DeleteWorkspace me={me.data} />
      {me.data.operator && (
        <>
          <h2 className="mt-4 text-head-2">This deployment</h2>
          <div className={PAIRS}>
            <PublicAddress />
            <Plans />
          </div>
        </>
      )}
    </SettingsFrame>
  );
}
