import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState, type SubmitEvent } from "react";
import { asProblem, type Problem } from "~/api/problem";
import { quotaQuery } from "~/api/quota";
import type { TemplateBrief, TopologyKind } from "~/api/teams";
import type { Use } from "~/api/types";
import { Button, buttonClass } from "~/ui/button";
import { Area, Choice, Field, Tick } from "~/ui/field";
import { useKeyedMutation } from "~/ui/keyed-mutation";
import { Lacks, Sentence, type Lack } from "~/ui/lacks";
import { LeaveGuard } from "~/ui/leave-guard";
import { ModelChoice } from "~/ui/model-choice";
import { useGoalDrafts } from "~/ui/goal-draft";
import { Help } from "~/ui/help";
import { Panel } from "~/ui/panel";
import { ProblemNote } from "~/ui/problem";
import { ImageChoice } from "~/ui/sandbox-choice";
import { imageName, PROFILE_NAMES, profileName, profileSays } from "~/ui/template-words";
import { Topology } from "~/ui/topology/drawing";
import { KIND_NAMES } from "~/ui/topology/kinds";
import { shapeOf } from "~/ui/topology/place";
import { visible } from "~/ui/visible";
import {
  bodyOf,
  changed,
  draftOf,
  isTouched,
  lacksOf,
  missingAgents,
  working,
  type Draft,
  type DraftRole,
} from "./draft";
import { MachineChoice } from "./machine";
import { create } from "./queries";

interface RoleProps {
  role: DraftRole;
  at: number;
  last: boolean;
  problem: Problem | undefined;
  change: (more: Partial<DraftRole>) => void;
}

function RoleFields({ role, at, last, problem, change }: RoleProps) {
  const title = visible(role.title);
  return (
    <li className="flex flex-col gap-2 border-b border-line px-4 py-3 last:border-0">
      <Tick
        label={title}
        hint={visible(role.summary)}
        checked={role.here}
        disabled={last}
        onChange={(event) => change({ here: event.target.checked })}
      />
      {role.here && (
        <div className="grid gap-3 pl-6.5 sm:grid-cols-2">
          <Field
            label={`Name of the ${title}`}
            placeholder="made from the team's name"
            maxLength={100}
            autoComplete="off"
            value={role.name}
            onChange={(event) => change({ name: event.target.value })}
            error={problem?.field(`/roles/${at}/name`)}
          />
          <ModelChoice
            label={`Model of the ${title}`}
            inherited="The team's model"
            value={role.model}
            onChange={(model) => change({ model })}
            error={problem?.field(`/roles/${at}/model_binding`)}
          />
          <details className="sm:col-span-2">
            <summary className="min-h-6 cursor-pointer rounded-control text-small text-fg-2">
              Checks of the {title}
            </summary>
            <Area
              label="Commands"
              hint="One on each line. They run in the sandbox after the agent has handed over. The work is accepted only if each exits with 0."
              rows={2}
              autoComplete="off"
              spellCheck="false"
              className="font-mono text-small"
              value={role.checks}
              onChange={(event) => change({ checks: event.target.value })}
            />
          </details>
        </div>
      )}
    </li>
  );
}

function Settings({
  draft,
  template,
  problem,
  set,
}: {
  draft: Draft;
  template: TemplateBrief;
  problem: Problem | undefined;
  set: (more: Partial<Draft>) => void;
}) {
  const profile = draft.profile || template.risk_profile;
  return (
    <Panel title="How they work">
      <div className="grid gap-4 px-4 py-3 sm:grid-cols-2">
        <Choice
          label="What they may do"
          value={draft.profile}
          hint={profileSays(profile)}
          onChange={(event) => set({ profile: event.target.value })}
        >
          <option value="">As the template says: {profileName(template.risk_profile)}</option>
          {PROFILE_NAMES.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Choice>
        <ModelChoice
          label="Model of the team"
          hint="For members without their own model."
          inherited="The workspace's model"
          value={draft.model}
          onChange={(model) => set({ model })}
          error={problem?.field("/model_binding")}
        />
        <Tick
          label="One sandbox for all"
          hint="For teams that work on one repository. Otherwise each agent works in a sandbox of its own."
          checked={draft.shared}
          onChange={(event) => set({ shared: event.target.checked })}
        />
        <ImageChoice
          label="Image of their sandboxes"
          value={draft.image}
          inherited={`As the template says: ${imageName(template.image.kind)}`}
          error={problem?.field("/image")}
          onChange={(image) => set({ image })}
        />
        <MachineChoice
          label="Machine of their sandboxes"
          value={draft.machine}
          error={problem?.field("/machine_id")}
          onChange={(machine) => set({ machine })}
        />
      </div>
    </Panel>
  );
}

/** A team from a template: who is in it, how they work together, with which models. */
export function Builder({ template }: { template: TemplateBrief }) {
  const [draft, setDraft] = useState(() => draftOf(template));
  const quota = useQuery(quotaQuery);
  const goals = useGoalDrafts();
  const navigate = useNavigate();
  const set = (more: Partial<Draft>) => setDraft((before) => changed(before, more));
  const make = useKeyedMutation(create);
  const problem = make.isError ? asProblem(make.error) : undefined;
  const refused = problem?.code === "sandbox-lacks";
  const box = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // The form is longer than the screen: the refused field is brought into view.
    if (make.error) box.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [make.error]);
  const here = working(draft);
  const shape = shapeOf(draft.kind, here);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const made = await make.mutateAsync(bodyOf(draft, template)).catch(() => undefined);
    if (!made) return;
    goals.arrive(made.id);
    await navigate({ to: "/teams/$id", params: { id: made.id } });
  };
  return (
    <form ref={box} onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Name of the team"
          required
          maxLength={100}
          autoComplete="off"
          value={draft.name}
          onChange={(event) => set({ name: event.target.value })}
          error={problem?.field("/name")}
        />
        <Choice
          label="How they work together"
          help={<Help word="topology" />}
          value={draft.kind}
          onChange={(event) => set({ kind: event.target.value as TopologyKind })}
          error={problem?.field("/topology")}
        >
          {KIND_NAMES.map(([kind, name]) => (
            <option key={kind} value={kind}>
              {name}
            </option>
          ))}
        </Choice>
      </div>
      <Panel title="Topology" aside={`${here.length} ${here.length === 1 ? "agent" : "agents"}`}>
        <Topology
          label="Who will work with whom"
          {...shape}
          below={(slot) => {
            const role = here.find((one) => one.slot === slot);
            return (
              <span className="truncate">{visible(role?.model || draft.model || "workspace's model")}</span>
            );
          }}
        />
      </Panel>
      <Panel
        title="Roles"
        aside={draft.kind === "single" && "Single agent: only the first selected role is used."}
      >
        <ul>
          {draft.roles.map((role, index) => (
            <RoleFields
              key={role.slot}
              role={role}
              at={here.indexOf(role)}
              last={role.here && draft.roles.filter((one) => one.here).length === 1}
              problem={problem}
              change={(more) =>
                set({ roles: draft.roles.map((one, at) => (at === index ? { ...one, ...more } : one)) })
              }
            />
          ))}
        </ul>
      </Panel>
      <Settings draft={draft} template={template} problem={problem} set={set} />
      {quota.data && <Missing wanted={here.length} agents={quota.data.agents} />}
      <Lacking
        lacks={lacksOf(draft, template)}
        refused={refused ? problem.fields.map(({ detail }) => detail) : []}
        accepts={draft.accepts}
        accept={(accepts) => set({ accepts })}
      />
      {problem && !refused && <ProblemNote problem={problem}>{told(problem)}</ProblemNote>}
      <LeaveGuard
        dirty={isTouched(draft, template) && !make.isPending && !make.isSuccess}
        title="Leave without making the team?"
        consequence="Your choices and texts are not saved."
      />
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" busy={make.isPending}>
          Create team
        </Button>
        <Link to="/teams/new" className={buttonClass()}>
          Another template
        </Link>
      </div>
    </form>
  );
}

/** The agents that the plan lacks for this team, before anything is made. */
function Missing({ wanted, agents }: { wanted: number; agents: Use }) {
  const said = missingAgents(wanted, agents);
  return said ? (
    <p role="status" className="rounded-control border border-waiting/50 bg-waiting/8 px-3 py-2">
      {said}{" "}
      <Link to="/quotas" className="text-accent underline">
        See what the plan is used for
      </Link>
    </p>
  ) : null;
}

/** What is missing here for its sandboxes, before anything is made, and the choice to make the team all the same. */
function Lacking({
  lacks,
  refused,
  accepts,
  accept,
}: {
  lacks: readonly Lack[];
  /** Why the gateway refused the team: it knows the chosen machine and image. */
  refused: readonly string[];
  accepts: boolean;
  accept: (accepts: boolean) => void;
}) {
  if (lacks.length === 0 && refused.length === 0) return null;
  return (
    <section
      aria-label="Missing here"
      className="flex flex-col gap-2 rounded-control border border-waiting/50 bg-waiting/8 px-3 py-2"
    >
      {refused.length > 0 ? (
        <div role="alert">
          <p className="font-[550]">No team was made, because something is missing</p>
          <ul className="flex list-disc flex-col gap-1 pl-5">
            {refused.map((text) => (
              <li key={text} className="break-words">
                <Sentence text={text} />
              </li>
            ))}
          </ul>
        </div>
      ) : (
        <>
          <p className="font-[550]">Something is missing for this team</p>
          <Lacks lacks={lacks} />
        </>
      )}
      <Tick
        label="Make the team all the same"
        hint="Its agents then work without what is missing. No sandbox can be made while its image is missing."
        checked={accepts}
        onChange={(event) => accept(event.target.checked)}
      />
    </section>
  );
}

/** What the gateway says of single parts, wherever they stand. */
const told = (problem: Problem) =>
  problem.fields.length > 0 && (
    <ul className="mt-1 list-disc pl-5 text-fg-2">
      {problem.fields.map(({ pointer, detail }) => (
        <li key={pointer}>{visible(detail)}</li>
      ))}
    </ul>
  );
