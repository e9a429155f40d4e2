// What a launch may cost: the tokens of ended missions of the same kind, at the present prices of the model.
import type { Mission } from "~/api/missions";
import { defaultModel, SCRIPTED, type ModelBinding } from "~/api/models";
import type { components } from "~/api/schema";
import { money } from "~/ui/run-state";

type Use = components["schemas"]["UseRow"];
type Past = Pick<Mission, "id" | "template_kind" | "status" | "cost_microusd">;
type Asked = Pick<Mission, "template_kind" | "model">;

/** The name of the model that answers where no agent has one of its own. */
export function modelOf({ model }: Pick<Asked, "model">, models: readonly ModelBinding[]): string {
  return model ?? defaultModel(models);
}

const rounded = (microusd: number) =>
  microusd >= 10_000 ? `$${(microusd / 1e6).toFixed(2)}` : money(Math.round(microusd));

const range = (values: readonly number[]) => {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return rounded(least) === rounded(most) ? rounded(most) : `${rounded(least)} to ${rounded(most)}`;
};

/** In a sentence or two. Nothing is guessed where nothing is known. */
export function estimateOf(
  mission: Asked,
  past: readonly Past[],
  used: readonly Use[],
  models: readonly ModelBinding[],
): string {
  const name = modelOf(mission, models);
  if (name === SCRIPTED) return "Nothing: the demonstration script answers, and no model.";
  const tokens = new Map(used.map((row) => [row.key, row]));
  const same = past.filter(
    ({ status, template_kind }) => status === "completed" && template_kind === mission.template_kind,
  );
  const known = same.flatMap(({ id }) => {
    const row = tokens.get(id);
    return row && row.input_tokens + row.output_tokens > 0 ? [row] : [];
  });
  const price = models.find((one) => one.name === name)?.price;
  if (known.length === 0)
    return price
      ? "Not known: no mission of this kind has ended within a year."
      : `Not known: ${name} has no price, and no mission of this kind has ended within a year.`;
  const count = `${known.length} ended ${known.length === 1 ? "mission" : "missions"} of this kind`;
  const spent = same
    .filter(({ id }) => known.some(({ key }) => key === id))
    .map(({ cost_microusd }) => cost_microusd)
    .filter((cost) => cost > 0);
  const before = spent.length > 0 ? ` They cost ${range(spent)}.` : "";
  if (!price) return `Not known: ${name} has no price. There are ${count}.${before}`;
  const costs = known.map(
    (row) => (row.input_tokens * price.input_microusd + row.output_tokens * price.output_microusd) / 1e6,
  );
  return `${range(costs)}, if it uses as many tokens as ${count}, at the price of ${name}.${before}`;
}
