import { Link } from "@tanstack/react-router";
import { useId, useState } from "react";
import type { TemplateRole } from "~/api/teams";
import { Markdown } from "~/ui/markdown/markdown";
import { Panel } from "~/ui/panel";
import { visible } from "~/ui/visible";
import { seatName } from "./seats";

function Skills({ names, missing }: { names: string[]; missing: Set<string> }) {
  if (names.length === 0) return <p className="text-fg-3">None.</p>;
  return (
    <ul className="flex flex-wrap gap-x-3 gap-y-1">
      {names.map((name, at) => (
        <li key={name} className="min-w-0">
          <Link
            to="/skills"
            search={{ q: name }}
            className="inline-block min-h-6 rounded-control font-mono text-small leading-6 break-all underline underline-offset-2 hover:text-accent"
          >
            <bdi>{visible(name)}</bdi>
          </Link>{" "}
          <span className="text-small text-fg-3">
            {missing.has(name) ? "(missing)" : at < 2 ? "(always in context)" : ""}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Role({ role, missing }: { role: TemplateRole; missing: Set<string> }) {
  const [open, setOpen] = useState(false);
  const label = useId();
  return (
    <li className="border-b border-line px-4 py-2 last:border-0">
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary aria-labelledby={label} className="min-h-6 cursor-pointer rounded-control">
          <span
            id={label}
            className="inline-flex w-[calc(100%-20px)] flex-wrap items-baseline gap-x-3 align-top"
          >
            <span className="min-w-0 font-[550] break-words">
              <bdi>{visible(role.title)}</bdi>
            </span>
            <span className="text-small text-fg-3">
              <bdi className="font-mono">{visible(role.slot)}</bdi>
              {role.seat && `, ${visible(seatName(role.seat))}`}
            </span>
            <span className="w-full min-w-0 break-words text-fg-2">{visible(role.summary ?? "")}</span>
          </span>
        </summary>
        {open && (
          <div className="mt-3 mb-2 flex flex-col gap-4">
            <section aria-label={`Skills of ${visible(role.title)}`}>
              <h3 className="mb-1 text-head-3">Skills</h3>
              <Skills names={role.skills ?? []} missing={missing} />
            </section>
            <section aria-label={`Prompt of ${visible(role.title)}`} className="min-w-0">
              <h3 className="mb-1 text-head-3">Prompt</h3>
              <Markdown text={role.system_prompt} what="the prompt" />
            </section>
            {role.brain_seed && (
              <section aria-label={`First memory of ${visible(role.title)}`} className="min-w-0">
                <h3 className="mb-1 text-head-3">Initial memory</h3>
                <Markdown text={role.brain_seed} what="the first memory" />
              </section>
            )}
          </div>
        )}
      </details>
    </li>
  );
}

/** Who is in a team from it; opened, what each is told. */
export function Roles({
  roles,
  missing,
}: {
  roles: TemplateRole[];
  missing: { name: string; slot: string }[];
}) {
  return (
    <Panel title="Roles" aside={`${roles.length} of them`}>
      <ul>
        {roles.map((role) => (
          <Role
            key={role.slot}
            role={role}
            missing={new Set(missing.filter(({ slot }) => slot === role.slot).map(({ name }) => name))}
          />
        ))}
      </ul>
    </Panel>
  );
}
