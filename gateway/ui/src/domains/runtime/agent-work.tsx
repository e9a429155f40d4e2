import { useMay } from "~/api/may";
import { startAgent } from "~/api/runs";
import type { Claw } from "~/api/types";
import { Goal } from "~/ui/goal";
import { MissingRight } from "~/ui/missing-right";
import { RunList } from "~/ui/run-list";
import { WorkLacks } from "~/ui/work-lacks";

/** The tab of an agent's page: work for this agent alone, and what came of it. */
export function AgentWork({ claw }: { claw: Claw }) {
  const may = useMay()("runs.start");
  return (
    <div className="flex flex-col gap-4">
      {may && !claw.deleted_at && (
        <Goal
          key={claw.id}
          place={`agent:${claw.id}`}
          who={claw}
          title="Give it work"
          lead={<WorkLacks who={claw} />}
          start={(body, key) => startAgent(claw.id, body, key)}
        />
      )}
      {!may && <MissingRight what="give agents work" least="member" />}
      <RunList of={{ agent_id: claw.id }} none="None yet. Runs of its teams are on the pages of its teams." />
    </div>
  );
}
