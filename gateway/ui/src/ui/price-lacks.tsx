// The gateway refuses a turn under a budget when it does not know the price of the model.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMay } from "~/api/may";
import { ceilingsQuery, defaultModel, modelsQuery, type ModelBinding } from "~/api/models";
import { configQuery } from "~/api/runtime";
import type { Team } from "~/api/teams";
import type { Claw } from "~/api/types";
import { textLink } from "./class";
import { microusdOf } from "./dollars";
import { visible } from "./visible";

type Known = Pick<ModelBinding, "name" | "is_default" | "price">;
type Works = Pick<Claw, "model_binding"> & {
  members?: readonly Pick<Team["members"][number], "model_binding">[];
};

/** The models that work without a known price, each once. Without somebody, the workspace's own model works. */
export function unpriced(models: readonly Known[], who: Works | undefined, chosen: string): string[] {
  const usual = (who?.model_binding ?? "") || defaultModel(models);
  const bound = who?.members?.map((member) => member.model_binding || usual) ?? [usual];
  const used = new Set(chosen ? [chosen] : bound);
  return models.flatMap(({ name, price }) => (used.has(name) && !price ? [name] : []));
}

interface Props {
  who: Team | Claw | undefined;
  /** The model of this run, empty for each agent's own. */
  model: string;
  /** The budget in dollars, as typed. */
  most: string;
}

/** Says which model needs a price before the run can begin. */
export function PriceLacks({ who, model, most }: Props) {
  const models = useQuery(modelsQuery).data?.items;
  const ceilings = useQuery(ceilingsQuery).data;
  const manages = useMay()("models.manage");
  const agent = who && !("members" in who) ? who : undefined;
  // An agent without an own model may get that of its team.
  const config = useQuery({ ...configQuery(agent?.id ?? ""), enabled: agent !== undefined }).data;
  const typed = microusdOf(most);
  const own = typed !== undefined && !Number.isNaN(typed);
  const bounded = own || ceilings?.run_ceiling_microusd != null || ceilings?.month_ceiling_microusd != null;
  const worker = agent && config?.model ? { model_binding: config.model } : who;
  const [name, ...others] = bounded && models ? unpriced(models, worker, model) : [];
  if (name === undefined) return null;
  return (
    <p role="status" className="w-full text-waiting">
      {own ? "This run has a budget" : "The workspace limits what runs may spend"}, and the price of{" "}
      <bdi>{[name, ...others].map(visible).join(", ")}</bdi> is not known. The gateway refuses the turns of
      such a model.{" "}
      {manages ? (
        <Link to="/settings/models" className={textLink}>
          Set the price
        </Link>
      ) : (
        "An admin can set the price."
      )}
    </p>
  );
}
