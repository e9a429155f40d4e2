import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMay } from "~/api/may";
import { modelsQuery } from "~/api/models";
import type { TemplateBrief } from "~/api/teams";
import { buttonClass } from "~/ui/button";
import { textLink } from "~/ui/class";
import { useGoalDrafts } from "~/ui/goal-draft";
import { Lacks } from "~/ui/lacks";
import { visible } from "~/ui/visible";
import { lacksModel } from "~/ui/work-lacks";

/** What the button does when a template is chosen, and the way to choose the details of the team first. */
export function FromTemplate({ template }: { template: TemplateBrief }) {
  const drafts = useGoalDrafts();
  const models = useQuery(modelsQuery).data?.items;
  const manages = useMay()("models.manage");
  const agents = template.roles.length;
  return (
    <div className="flex flex-col gap-2 rounded-control border border-line bg-sunken px-3 py-2">
      <p className="break-words">
        This creates the team <bdi className="font-[550]">{visible(template.name)}</bdi> with {agents}{" "}
        {agents === 1 ? "agent" : "agents"}, then gives it the goal.
      </p>
      {models && lacksModel({ model_binding: null }, models) && (
        <p className="text-waiting">
          No model is set, so a script answers instead of a model.{" "}
          {manages && (
            <Link to="/settings/models" className={textLink}>
              Add a model
            </Link>
          )}
        </p>
      )}
      {template.image.lacks.length > 0 && (
        <div className="text-waiting">
          <p>Something is missing for this team. Choose its details first.</p>
          <Lacks lacks={template.image.lacks} />
        </div>
      )}
      <Link
        to="/teams/new"
        search={{ template: template.id }}
        onClick={() => drafts.carry()}
        className={buttonClass("plain", "self-start")}
      >
        Choose the details first
      </Link>
    </div>
  );
}
