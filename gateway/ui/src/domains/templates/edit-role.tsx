import { ArrowDown, ArrowUp, Trash2 } from "lucide-react";
import type { Problem } from "~/api/problem";
import type { TemplateRole } from "~/api/teams";
import { Button } from "~/ui/button";
import { Area, Choice, Field } from "~/ui/field";
import { visible } from "~/ui/visible";
import { EditSkills } from "./edit-skills";
import { SEAT_NAMES, seatSays } from "./seats";

interface Props {
  role: TemplateRole;
  at: number;
  count: number;
  problem: Problem | undefined;
  change: (more: Partial<TemplateRole>) => void;
  move: (by: 1 | -1) => void;
  remove: () => void;
}

/** One role while it is written: what its agent is told, can, and knows at first. */
export function EditRole({ role, at, count, problem, change, move, remove }: Props) {
  const title = visible(role.title) || `role ${at + 1}`;
  const bind = (name: "slot" | "title" | "summary" | "system_prompt" | "brain_seed") => ({
    value: role[name] ?? "",
    error: problem?.field(`/roles/${at}/${name}`),
    onChange: (event: { target: { value: string } }) => change({ [name]: event.target.value }),
  });
  const wrong = problem?.fields.find(({ pointer }) =>
    pointer.replace(/^#/, "").startsWith(`/roles/${at}/skills`),
  );
  return (
    <li className="border-b border-line px-4 py-3 last:border-0">
      <fieldset className="flex min-w-0 flex-col gap-3">
        <legend className="sr-only">Role {at + 1}</legend>
        <div className="flex flex-wrap items-center justify-between gap-2">
          <h3 className="min-w-0 text-head-3 break-words">
            {at + 1}. <bdi>{title}</bdi>
          </h3>
          <span className="flex gap-2">
            <Button
              aria-label={`Move ${title} up`}
              icon={<ArrowUp size={14} aria-hidden />}
              disabled={at === 0}
              onClick={() => move(-1)}
            />
            <Button
              aria-label={`Move ${title} down`}
              icon={<ArrowDown size={14} aria-hidden />}
              disabled={at === count - 1}
              onClick={() => move(1)}
            />
            <Button
              aria-label={`Remove ${title}`}
              icon={<Trash2 size={14} aria-hidden />}
              disabled={count === 1}
              onClick={remove}
            />
          </span>
        </div>
        <div className="grid gap-3 sm:grid-cols-3">
          <Field label="Title" required maxLength={100} autoComplete="off" {...bind("title")} />
          <Field
            label="Slot"
            hint="The role's id, such as tester. Runs and upgrades identify the role by it."
            required
            maxLength={40}
            pattern="[a-z][a-z0-9_]*"
            autoComplete="off"
            spellCheck="false"
            {...bind("slot")}
          />
          <Choice
            label="Seat"
            value={role.seat ?? ""}
            hint={seatSays(role.seat)}
            error={problem?.field(`/roles/${at}/seat`)}
            onChange={(event) => change({ seat: event.target.value || null })}
          >
            <option value="">Chosen by the topology</option>
            {SEAT_NAMES.map(({ value, label, says }) => (
              <option key={value} value={value} title={says}>
                {label}
              </option>
            ))}
          </Choice>
        </div>
        <Field label="In one line" maxLength={300} autoComplete="off" {...bind("summary")} />
        <EditSkills
          skills={role.skills ?? []}
          error={wrong?.detail}
          onChange={(skills) => change({ skills })}
        />
        <Area
          label="Prompt"
          required
          rows={10}
          maxLength={20_000}
          className="font-mono text-small"
          {...bind("system_prompt")}
        />
        <Area
          label="Initial memory"
          rows={4}
          maxLength={100_000}
          className="font-mono text-small"
          {...bind("brain_seed")}
        />
      </fieldset>
    </li>
  );
}
