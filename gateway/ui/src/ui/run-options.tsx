import type { Problem } from "~/api/problem";
import type { Team } from "~/api/teams";
import type { Claw } from "~/api/types";
import { sumMistake } from "./dollars";
import { Field } from "./field";
import { ModelChoice } from "./model-choice";
import type { Pace } from "./pace";
import { PaceFields } from "./pace-fields";
import { PriceLacks } from "./price-lacks";

/** What a run may differ in from those who work: their model, and what it may use. */
export interface Options extends Pace {
  /** Empty for each agent's own. */
  model: string;
  /** Dollars, as typed. */
  most: string;
}

export default function RunOptions({
  who,
  value,
  onChange,
  problem,
}: {
  /** Who works; absent where the workspace's own model works. */
  who?: Team | Claw | undefined;
  value: Options;
  onChange: (value: Options) => void;
  problem: Problem | undefined;
}) {
  return (
    <div className="flex flex-wrap gap-3">
      <div className="max-sm:basis-full sm:w-64">
        <ModelChoice
          label="Model"
          value={value.model}
          inherited="As each agent is set"
          onChange={(model) => onChange({ ...value, model })}
          error={problem?.field("/model")}
        />
      </div>
      {/* On its own row of a phone: whether two labels fit beside each other depends on the font that arrives. */}
      <div className="max-sm:basis-full">
        <Field
          label="Budget, in dollars"
          inputMode="decimal"
          className="max-w-40"
          autoComplete="off"
          placeholder="no limit"
          value={value.most}
          onChange={(event) => onChange({ ...value, most: event.target.value })}
          error={sumMistake(value.most) ?? problem?.field("/cost_ceiling_microusd")}
        />
      </div>
      <PaceFields value={value} onChange={(pace) => onChange({ ...value, ...pace })} problem={problem} />
      <PriceLacks who={who} model={value.model} most={value.most} />
    </div>
  );
}
