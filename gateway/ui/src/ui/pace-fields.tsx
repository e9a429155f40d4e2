import type { Problem } from "~/api/problem";
import { Field } from "./field";
import { timeMistake, turnsMistake, type Pace } from "./pace";

/** How many turns and how much time a run may use, each in a field. */
export function PaceFields({
  value,
  onChange,
  problem,
}: {
  value: Pace;
  onChange: (value: Pace) => void;
  problem: Problem | undefined;
}) {
  return (
    <>
      <Field
        label="Turn limit"
        inputMode="numeric"
        className="max-w-40"
        autoComplete="off"
        placeholder="no limit"
        value={value.turns}
        onChange={(event) => onChange({ ...value, turns: event.target.value })}
        error={turnsMistake(value.turns) ?? problem?.field("/limits/turns")}
      />
      <Field
        label="Time limit, in minutes"
        inputMode="decimal"
        className="max-w-40"
        autoComplete="off"
        placeholder="no limit"
        value={value.time}
        onChange={(event) => onChange({ ...value, time: event.target.value })}
        error={timeMistake(value.time) ?? problem?.field("/limits/time_s")}
      />
    </>
  );
}
