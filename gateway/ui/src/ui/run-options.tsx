import { useQuery } from "@tanstack/react-query";
import { modelsQuery } from "~/api/models";
import type { Problem } from "~/api/problem";
import { sumMistake } from "./dollars";
import { Choice, Field } from "./field";
import type { Pace } from "./pace";
import { PaceFields } from "./pace-fields";
import { visible } from "./visible";

/** What a run may differ in from those who work: their model, and what it may use. */
export interface Options extends Pace {
  /** Empty for each agent's own. */
  model: string;
  /** Dollars, as typed. */
  most: string;
}

export default function RunOptions({
  value,
  onChange,
  problem,
}: {
  value: Options;
  onChange: (value: Options) => void;
  problem: Problem | undefined;
}) {
  const models = useQuery(modelsQuery);
  return (
    <div className="flex flex-wrap gap-3">
      {models.data && models.data.items.length > 0 && (
        <div className="max-sm:basis-full">
          <Choice
            label="Model"
            className="sm:w-64"
            value={value.model}
            onChange={(event) => onChange({ ...value, model: event.target.value })}
            error={problem?.field("/model")}
          >
            <option value="">As each agent is set</option>
            {models.data.items.map((one) => (
              <option key={one.id} value={one.name}>
                {visible(one.name)}
              </option>
            ))}
          </Choice>
        </div>
      )}
      {/* On its own row of a phone: whether two labels fit beside each other depends on the font that arrives. */}
      <div className="max-sm:basis-full">
        <Field
          label="May cost at most, in dollars"
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
    </div>
  );
}
