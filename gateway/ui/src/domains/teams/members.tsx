import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { clawsQuery } from "~/api/claws";
import { defaultModel, modelsQuery } from "~/api/models";
import type { Team } from "~/api/teams";
import { agentStates, useAgentWord } from "~/ui/agent-state";
import { Help } from "~/ui/help";
import { openRow } from "~/ui/open-row";
import { Panel } from "~/ui/panel";
import { Status } from "~/ui/status";
import { Topology } from "~/ui/topology/drawing";
import { kindName } from "~/ui/topology/kinds";
import { visible } from "~/ui/visible";

const stepsOf = ({ steps: { least, most } }: Team) =>
  least === most ? `${most} ${most === 1 ? "step" : "steps"} a run` : `${least} to ${most} steps a run`;

/** Who is in it, who works with whom, and what each does just now. */
export function Members({ team }: { team: Team }) {
  // The list of agents is what the live stream keeps up.
  const claws = useQuery(clawsQuery);
  const models = useQuery(modelsQuery).data?.items;
  const known = new Map((claws.data ?? []).map((claw) => [claw.id as string, claw]));
  const wordOf = useAgentWord();
  const stateOf = (node: string) => {
    const member = team.members.find((one) => one.node === node);
    const agent =
      member &&
      (known.get(member.agent_id) ?? (member.status && { id: member.agent_id, status: member.status }));
    return agent ? agentStates[wordOf(agent)] : { tone: "failed" as const, word: "Agent deleted" };
  };
  return (
    <>
      <Panel
        title="Topology"
        aside={
          <>
            {kindName(team.topology.kind)}
            <Help word="topology" />
          </>
        }
      >
        <Topology
          label="Who works with whom in this team"
          kind={team.topology.kind}
          nodes={team.topology.nodes.map(({ id, label }) => ({ id, ...(label && { label }) }))}
          edges={team.topology.edges ?? []}
          layout={team.layout}
          stateOf={stateOf}
        />
      </Panel>
      <Panel title="Members" aside={stepsOf(team)}>
        <ul>
          {team.members.map((member) => {
            const state = stateOf(member.node);
            return (
              <li
                key={member.node}
                {...(member.name != null && openRow)}
                className="flex hover:bg-line/25 min-h-(--row) flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-1.5 last:border-0"
              >
                <span className="min-w-0 flex-1 basis-48">
                  {member.name == null ? (
                    <span className="text-fg-3">nobody any more</span>
                  ) : (
                    <Link
                      to="/claws/$id"
                      params={{ id: member.agent_id }}
                      className="rounded-control font-[550] break-words hover:text-accent hover:underline"
                    >
                      <bdi>{visible(member.name)}</bdi>
                    </Link>
                  )}
                  <span className="block text-small text-fg-3">
                    <bdi>{visible(member.slot)}</bdi>
                  </span>
                </span>
                <bdi className="font-mono text-small break-all text-fg-2">
                  {visible(
                    member.model_binding ||
                      team.model_binding ||
                      (models ? defaultModel(models) : "default model"),
                  )}
                </bdi>
                {state && <Status {...state} />}
              </li>
            );
          })}
        </ul>
      </Panel>
    </>
  );
}
