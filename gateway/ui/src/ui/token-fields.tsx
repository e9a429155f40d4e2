import type { Problem } from "~/api/problem";
import { Choice, Field } from "./field";

interface Asked {
  label: string;
  days: number;
}

interface Props {
  value: Asked;
  /** How long it may be asked for. */
  days: readonly number[];
  problem: Problem | undefined;
  onChange: (value: Asked) => void;
}

/** What a token is made with. */
export function TokenFields({ value, days, problem, onChange }: Props) {
  return (
    <>
      <Field
        label="What it is for"
        required
        maxLength={100}
        autoComplete="off"
        value={value.label}
        onChange={(event) => onChange({ ...value, label: event.target.value })}
        error={problem?.field("/label")}
      />
      <Choice
        label="Ends after"
        value={value.days}
        onChange={(event) => onChange({ ...value, days: Number(event.target.value) })}
        error={problem?.field("/expires_in_days")}
      >
        {days.map((one) => (
          <option key={one} value={one}>
            {one} {one === 1 ? "day" : "days"}
          </option>
        ))}
      </Choice>
    </>
  );
}
