// What is missing before somebody begins to work, beside the box for their goal.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMay } from "~/api/may";
import { type ModelBinding, modelsQuery } from "~/api/models";
import { configQuery } from "~/api/runtime";
import { teamQuery, templateQuery, type Team } from "~/api/teams";
import type { Claw } from "~/api/types";
import { textLink } from "./class";
import { EngineLacks, ImageLacks } from "./image-lacks";
import { Lacks, type Lack } from "./lacks";

type Thinks = Pick<Claw, "model_binding"> & {
  members?: readonly Pick<Team["members"][number], "model_binding">[];
};

/** Whether somebody who works has no model: no own one, none of the team, and no default of the workspace. */
export function lacksModel(who: Thinks, models: readonly Pick<ModelBinding, "is_default">[]): boolean {
  if (who.model_binding || models.some((model) => model.is_default)) return false;
  return who.members?.some((member) => !member.model_binding) ?? true;
}

/** What the sandboxes of a team would lack. The gateway knows it for the template's own image where the workspace places it. */
function TemplateLacks({ template, only }: { template: string; only: (lack: Lack) => boolean }) {
  const lacks = (useQuery(templateQuery(template)).data?.image.lacks ?? []).filter(only);
  if (lacks.length === 0) return null;
  return (
    <div className="text-waiting">
      <p>Something is missing for new sandboxes of this team.</p>
      <Lacks lacks={lacks} />
    </div>
  );
}

function TeamLacks({ team }: { team: Team }) {
  if (team.effective_profile === "toolfree") return null;
  const { template_id: template, machine_id: machine = null, image } = team;
  const whole = template && !machine && !image;
  // On another machine or in another image, the gateway's answer is true of what no machine or no image has.
  const only = ({ what }: Lack) => whole || what === "no_gpu" || (what === "no_mobile_sdk" && !image);
  return (
    <>
      {template && <TemplateLacks template={template} only={only} />}
      {!whole && <ImageLacks kind={team.effective_image.kind} machine={machine} whose="team" />}
      <EngineLacks machine={machine} />
    </>
  );
}

function AgentLacks({ agent }: { agent: Claw }) {
  const config = useQuery(configQuery(agent.id)).data;
  const of = config?.team_id;
  // Its sandbox is made where its team's sandboxes are made.
  const team = useQuery({ ...teamQuery(of ?? ""), enabled: Boolean(of) }).data;
  if (!config || config.effective_profile === "toolfree" || (of && !team)) return null;
  const machine = team?.machine_id ?? null;
  return (
    <>
      <ImageLacks kind={config.effective_image.kind} machine={machine} whose="agent" />
      <EngineLacks machine={machine} />
    </>
  );
}

/** Says what is missing for this team or this agent. Nothing is shown when nothing is missing. */
export function WorkLacks({ who }: { who: Team | Claw }) {
  const models = useQuery(modelsQuery).data?.items;
  const manages = useMay()("models.manage");
  return (
    <>
      {models && lacksModel(who, models) && (
        <p className="text-waiting">
          No model is set, so a script answers instead of a model.{" "}
          {manages && (
            <Link to="/settings/models" className={textLink}>
              Add a model
            </Link>
          )}
        </p>
      )}
      {"members" in who ? <TeamLacks team={who} /> : <AgentLacks key={who.id} agent={who} />}
    </>
  );
}
