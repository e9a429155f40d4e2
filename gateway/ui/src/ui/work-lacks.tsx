// What is missing before somebody begins to work, beside the box for their goal.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { imagesQuery } from "~/api/images";
import { useMay } from "~/api/may";
import { type ModelBinding, modelsQuery } from "~/api/models";
import { templateQuery, type Team } from "~/api/teams";
import type { Claw } from "~/api/types";
import { textLink } from "./class";
import { Lacks, Sentence } from "./lacks";

type Thinks = Pick<Claw, "model_binding"> & {
  members?: readonly Pick<Team["members"][number], "model_binding">[];
};

/** Whether somebody who works has no model: no own one, none of the team, and no default of the workspace. */
export function lacksModel(who: Thinks, models: readonly Pick<ModelBinding, "is_default">[]): boolean {
  if (who.model_binding || models.some((model) => model.is_default)) return false;
  return who.members?.some((member) => !member.model_binding) ?? true;
}

/** What the sandboxes of a team would lack. The gateway knows it for the template's own image where the workspace places it. */
function TemplateLacks({ template }: { template: string }) {
  const lacks = useQuery(templateQuery(template)).data?.image.lacks ?? [];
  if (lacks.length === 0) return null;
  return (
    <div className="text-waiting">
      <p>Something is missing for new sandboxes of this team.</p>
      <Lacks lacks={lacks} />
    </div>
  );
}

/** The image of sandboxes on the gateway's own host, where it is not there. */
function ImageLacks({ kind }: { kind: string | null | undefined }) {
  const images = useQuery(imagesQuery).data?.items ?? [];
  const image = images.find((one) => (kind ? one.name === kind : one.is_default));
  if (!image?.remedy) return null;
  return (
    <p className="break-words text-waiting">
      The image of new sandboxes of this team is missing. <Sentence text={image.remedy} />
    </p>
  );
}

function SandboxLacks({ team }: { team: Team }) {
  if (team.effective_profile === "toolfree") return null;
  if (team.machine_id === "local") return <ImageLacks kind={team.effective_image.kind} />;
  // Of another machine, and of another image than the template's, the gateway says nothing before it makes the sandbox.
  if (team.machine_id || team.image || !team.template_id) return null;
  return <TemplateLacks template={team.template_id} />;
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
      {"members" in who && <SandboxLacks team={who} />}
    </>
  );
}
