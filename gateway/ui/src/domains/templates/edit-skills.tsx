// The skills of a role, in the order of their importance.
import { useQuery } from "@tanstack/react-query";
import { ArrowUp, X } from "lucide-react";
import { useRef } from "react";
import { skillsQuery } from "~/api/skills";
import { Button } from "~/ui/button";
import { Choice } from "~/ui/field";
import { visible } from "~/ui/visible";
import { moved, namedSkills } from "./content";

/** The gateway puts the full text of so many skills into the agent's context. */
const IN_CONTEXT = 2;

interface Props {
  skills: readonly string[];
  error: string | undefined;
  onChange: (skills: string[]) => void;
}

/** Chosen skills with what each does, and a choice of the others. A name that the workspace does not have stays. */
export function EditSkills({ skills, error, onChange }: Props) {
  const catalogue = useQuery(skillsQuery);
  const box = useRef<HTMLFieldSetElement>(null);
  const known = namedSkills(catalogue.data ?? []);
  const others = [...known.values()].filter(({ name }) => !skills.includes(name));
  const remove = (name: string) => {
    onChange(skills.filter((one) => one !== name));
    // The button of the removed skill had the focus.
    box.current?.querySelector<HTMLElement>("[role=combobox]")?.focus();
  };
  return (
    <fieldset ref={box} className="flex min-w-0 flex-col gap-2">
      <legend className="mb-1 text-small font-[550] text-fg-2">Skills</legend>
      {skills.length > 0 && (
        <ol className="rounded-panel border border-line">
          {skills.map((name, at) => (
            <li
              key={name}
              data-skill={name}
              className="flex items-start gap-2 border-b border-line px-3 py-2 last:border-0"
            >
              <div className="min-w-0 flex-1">
                <bdi className="font-mono text-small break-all">{visible(name)}</bdi>
                {at < IN_CONTEXT && <span className="text-small text-fg-3"> (always in context)</span>}
                {catalogue.data && !known.has(name) ? (
                  <p className="text-small text-waiting">The workspace does not have this skill.</p>
                ) : (
                  <p className="line-clamp-2 text-small break-words text-fg-3">
                    {visible(known.get(name)?.when_to_use ?? "")}
                  </p>
                )}
              </div>
              <Button
                aria-label={`Move ${visible(name)} up`}
                icon={<ArrowUp size={14} aria-hidden />}
                disabled={at === 0}
                onClick={() => onChange(moved(skills, at, -1))}
              />
              <Button
                aria-label={`Remove ${visible(name)}`}
                icon={<X size={14} aria-hidden />}
                onClick={() => remove(name)}
              />
            </li>
          ))}
        </ol>
      )}
      <Choice
        label="Add a skill"
        value=""
        error={error}
        hint={hintOf(catalogue.isError && !catalogue.data, catalogue.data?.length === 0)}
        onChange={({ target }) => target.value && onChange([...skills, target.value])}
      >
        <option value="">
          {others.length === 0 && catalogue.data ? "No other skill" : "Choose a skill"}
        </option>
        {others.map(({ id, name, when_to_use }) => (
          <option key={id} value={name} title={visible(when_to_use)}>
            {visible(name)}
          </option>
        ))}
      </Choice>
    </fieldset>
  );
}

function hintOf(failed: boolean, none: boolean): string {
  if (failed) return "The skills of the workspace cannot be read now.";
  if (none) return "The workspace has no skills.";
  return "Put the most important skill first. The full text of the first two is always in the agent's context.";
}
