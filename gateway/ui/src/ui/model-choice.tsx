// The model that somebody thinks with: one of the workspace's, with its price and its context.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useMay } from "~/api/may";
import { modelsQuery, SCRIPTED } from "~/api/models";
import { textLink } from "./class";
import { Choice } from "./field";
import { contextWord, modelWord, priceWord } from "./model-words";
import { visible } from "./visible";

const SCRIPT = "A script for demonstrations, not a model. It costs nothing.";

interface Props {
  label: string;
  /** Empty for none of its own. */
  value: string;
  onChange: (model: string) => void;
  /** What applies when none is chosen. */
  inherited: string;
  hint?: string;
  error?: string | undefined;
  className?: string;
}

/** Which model is used. A chosen model that the workspace does not have any more stays in the list. */
export function ModelChoice({ value, onChange, inherited, hint, ...rest }: Props) {
  const models = useQuery(modelsQuery);
  const manages = useMay()("models.manage");
  const list = models.data?.items;
  const chosen = list?.find(({ name }) => name === value);
  const gone = value !== "" && value !== SCRIPTED && list !== undefined && !chosen;
  return (
    <Choice
      {...rest}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      hint={hintOf({
        value,
        chosen,
        gone,
        hint,
        failed: models.isError && !list,
        empty: list?.length === 0,
        manages,
      })}
    >
      <option value="">{inherited}</option>
      {(list ?? []).map((one) => (
        <option key={one.id} value={one.name} title={modelWord(one)}>
          {visible(one.name)}
        </option>
      ))}
      {value !== "" && value !== SCRIPTED && !chosen && (
        <option value={value} title={gone ? "The workspace does not have this model." : undefined}>
          {visible(value)}
        </option>
      )}
      <option value={SCRIPTED} title={SCRIPT}>
        {SCRIPTED}
      </option>
    </Choice>
  );
}

interface HintProps {
  value: string;
  chosen: Parameters<typeof modelWord>[0] | undefined;
  gone: boolean;
  hint: string | undefined;
  failed: boolean;
  empty: boolean;
  manages: boolean;
}

/** What the chosen model costs. Otherwise why there is little to choose, or what the choice means. */
function hintOf({ value, chosen, gone, hint, failed, empty, manages }: HintProps): ReactNode {
  if (chosen) return `${priceWord(chosen.price)} · ${contextWord(chosen.window_tokens)}`;
  if (gone)
    return <span className="text-waiting">The workspace does not have this model. Choose another one.</span>;
  if (value === SCRIPTED) return SCRIPT;
  if (failed) return "The workspace's models cannot be read now.";
  if (!empty) return hint;
  return (
    <>
      The workspace has no models yet.{" "}
      {manages ? (
        <Link to="/settings/models" className={textLink}>
          Add a model
        </Link>
      ) : (
        "An admin can add one."
      )}
    </>
  );
}
