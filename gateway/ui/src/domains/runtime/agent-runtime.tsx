import { useQuery } from "@tanstack/react-query";
import { useMay } from "~/api/may";
import type { Claw } from "~/api/types";
import { QueryView } from "~/ui/query-view";
import { MissingRight } from "~/ui/missing-right";
import { Anatomy } from "./anatomy";
import { Config } from "./config";
import { compartmentsQuery, configQuery } from "./queries";
import { Rights } from "./rights";
import { AgentSkills } from "./skills";
import { AgentTokens } from "./tokens";

/** The tab of an agent's page: what it runs with, why, and what its own programs may open. */
export function AgentRuntime({ claw }: { claw: Claw }) {
  const config = useQuery(configQuery(claw.id));
  const parts = useQuery(compartmentsQuery(claw.id));
  const may = useMay()("claws.write");
  const manages = useMay()("teams.manage");
  const writes = may && !claw.deleted_at;
  return (
    <div className="flex flex-col gap-4">
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <QueryView query={config} what="what it runs with" rows={4}>
          {(now) => <Config now={now} />}
        </QueryView>
        <QueryView query={parts} what="its compartments" rows={4}>
          {(now) => <Anatomy now={now} />}
        </QueryView>
      </div>
      {manages && !claw.deleted_at && config.data && <Rights now={config.data} />}
      <AgentSkills agent={claw.id} writes={writes} />
      <AgentTokens agent={claw.id} name={claw.name} writes={writes} />
      {!may && <MissingRight what="choose skills or make tokens for agents" least="member" />}
    </div>
  );
}
