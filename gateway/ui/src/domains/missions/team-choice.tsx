import { useState } from "react";
import type { TemplateBrief } from "~/api/teams";
import { cx } from "~/ui/class";
import { Tick } from "~/ui/field";
import { FilterField } from "~/ui/filter-field";
import { Sentence } from "~/ui/lacks";
import { kindName } from "~/ui/topology/kinds";
import { visible } from "~/ui/visible";
import { MOST_TEAMS } from "./draft";
import { suited, type Purpose } from "./suited";

interface Props {
  purpose: Purpose;
  templates: readonly TemplateBrief[];
  value: readonly string[];
  error: string | undefined;
  onChange: (value: string[]) => void;
}

const agents = ({ roles }: TemplateBrief) => `${roles.length} ${roles.length === 1 ? "agent" : "agents"}`;

function Hint({ template }: { template: TemplateBrief }) {
  return (
    <>
      {agents(template)}, {kindName(template.default_topology).toLowerCase()}. {visible(template.description)}
      {template.image.lacks.map(({ detail }) => (
        <span key={detail} className="block text-waiting">
          <Sentence text={detail} />
        </span>
      ))}
    </>
  );
}

/** The team templates for one kind of phase. Each that is chosen becomes a team. */
export function TeamChoice({ purpose, templates, value, error, onChange }: Props) {
  const [words, setWords] = useState("");
  const shown = suited(templates, purpose, words, value);
  const name = purpose === "research" ? "Research teams" : "Coding teams";
  const gone = value.filter((id) => !templates.some((one) => one.id === id));
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 flex w-full items-baseline justify-between gap-2 text-small font-[550] text-fg-2">
        {name}
        <span className="font-normal text-fg-3">{value.length} chosen</span>
      </legend>
      <FilterField label={`Search ${name.toLowerCase()}`} value={words} onChange={setWords} />
      <ul
        className={cx(
          "flex max-h-72 max-sm:max-h-40 flex-col gap-2 overflow-y-auto rounded-panel border p-3",
          error ? "border-failed" : "border-line",
        )}
      >
        {shown.map((template) => {
          const at = value.indexOf(template.id);
          return (
            <li key={template.id} data-template={template.id}>
              <Tick
                label={visible(template.name)}
                hint={<Hint template={template} />}
                checked={at !== -1}
                disabled={at === -1 && value.length >= MOST_TEAMS}
                onChange={(event) =>
                  onChange(
                    event.target.checked ? [...value, template.id] : value.filter((id) => id !== template.id),
                  )
                }
              />
            </li>
          );
        })}
        {gone.map((id) => (
          <li key={id}>
            <Tick
              label="A template that was deleted"
              checked
              onChange={() => onChange(value.filter((one) => one !== id))}
            />
          </li>
        ))}
        {shown.length === 0 && <li className="text-fg-3">No template fits.</li>}
      </ul>
      {error && <p className="text-small text-failed">{error}</p>}
    </fieldset>
  );
}
