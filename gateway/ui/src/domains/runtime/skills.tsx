import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Pin } from "lucide-react";
import { useState, type SubmitEvent } from "react";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import { skillsQuery } from "~/api/skills";
import { QueryView } from "~/ui/query-view";
import { Button } from "~/ui/button";
import { Choice } from "~/ui/field";
import { Panel } from "~/ui/panel";
import { ProblemNote } from "~/ui/problem";
import { Status } from "~/ui/status";
import { visible } from "~/ui/visible";
import { choose, skillsOf, takeBack, type ClawSkill, type ClawSkills } from "./queries";
import { addable, leftOut, skippedWord, sourceWord } from "./words";

/** `true` adds, `false` leaves out, nothing takes the choice back. */
type Change = { id: string; include?: boolean };

function Has({ skill, act }: { skill: ClawSkill; act: ((change: Change) => void) | undefined }) {
  const own = skill.source === "agent";
  return (
    <li
      data-row
      className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2 last:border-0"
    >
      <div className="min-w-0 flex-1 basis-60">
        <Link
          to="/skills/$id"
          params={{ id: skill.id }}
          className="rounded-control font-[550] break-words hover:text-accent hover:underline"
        >
          <bdi>{visible(skill.title)}</bdi>
        </Link>
        <p className="text-small break-words text-fg-3">
          <bdi className="font-mono">{visible(skill.name)}</bdi>, version {skill.version},{" "}
          {sourceWord(skill.source)}
          {skill.in_place_of && ", replaces the built-in one"}
        </p>
        <p className="break-words text-fg-2">{visible(skill.when_to_use)}</p>
      </div>
      {skill.pin_in_context && (
        <span
          className="inline-flex items-center gap-1 text-small text-fg-2"
          title="Its text is always in the agent's context"
        >
          <Pin size={12} aria-hidden />
          Pinned
        </span>
      )}
      {act && (
        <Button
          aria-label={`${own ? "Remove" : "Exclude"} ${visible(skill.name)}`}
          onClick={() => act(own ? { id: skill.id } : { id: skill.id, include: false })}
        >
          {own ? "Remove" : "Exclude"}
        </Button>
      )}
    </li>
  );
}

function Lacks({ name, why, back }: { name: string; why: string; back?: (() => void) | undefined }) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-2 last:border-0">
      <bdi className="min-w-0 flex-1 basis-60 font-mono text-small break-all text-fg-2">{visible(name)}</bdi>
      <Status
        tone={why === "excluded" ? "offline" : "warning"}
        word={skippedWord(why)}
        className="whitespace-normal"
      />
      {back && (
        <Button aria-label={`Include ${visible(name)}`} onClick={back}>
          Include
        </Button>
      )}
    </li>
  );
}

function Add({ has, busy, act }: { has: ClawSkills; busy: boolean; act: (change: Change) => void }) {
  const catalogue = useQuery(skillsQuery);
  const [id, setId] = useState("");
  const offered = addable(has, catalogue.data ?? []);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    act({ id, include: true });
    setId("");
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap items-end gap-2 border-t border-line px-4 py-3">
      <div className="max-w-full min-w-0 flex-1 basis-60">
        <Choice
          label="Another skill for this agent"
          value={id}
          onChange={(event) => setId(event.target.value)}
        >
          <option value="">Choose one</option>
          {offered.map((one) => (
            <option key={one.id} value={one.id}>
              {visible(one.name)}
            </option>
          ))}
        </Choice>
      </div>
      <Button type="submit" busy={busy} disabled={id === ""}>
        Add skill
      </Button>
    </form>
  );
}

/** What it can read how to do: in which order, why, what is named and not there, and what was chosen for it alone. */
export function AgentSkills({ agent, writes }: { agent: string; writes: boolean }) {
  const skills = useQuery(skillsOf(agent));
  const catalogue = useQuery(skillsQuery);
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: ({ id, include }: Change) =>
      include === undefined ? takeBack(agent, id) : choose(agent, id, include),
    onSettled: () => client.invalidateQueries({ queryKey: keys.claw(agent) }),
  });
  const act = writes ? change.mutate : undefined;
  const out = skills.data ? leftOut(skills.data, catalogue.data ?? []) : [];
  return (
    <Panel title="Skills" aside={skills.data && `${skills.data.items.length} in this order`}>
      <QueryView query={skills} what="its skills" rows={3}>
        {(has) => (
          <>
            {has.items.length === 0 && <p className="px-4 py-3 text-fg-2">No skills yet.</p>}
            <ol>
              {has.items.map((one) => (
                <Has key={one.id} skill={one} act={act} />
              ))}
            </ol>
            {has.skipped.length + out.length > 0 && (
              <section aria-label="Skills that it does not have" className="border-t border-line">
                <ul>
                  {has.skipped
                    .filter(({ why }) => why !== "excluded")
                    .map(({ name, why }) => (
                      <Lacks key={name} name={name} why={why} />
                    ))}
                  {out.map(({ id, name }) => (
                    <Lacks key={id} name={name} why="excluded" back={act && (() => act({ id }))} />
                  ))}
                </ul>
              </section>
            )}
            {change.isError && <ProblemNote problem={asProblem(change.error)} className="m-4" />}
            {act && <Add has={has} busy={change.isPending} act={act} />}
          </>
        )}
      </QueryView>
    </Panel>
  );
}
