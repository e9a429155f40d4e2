// What a mission is: its goal, its phases and teams, and where it works. A new mission and a routine ask for the same.
import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";
import { nodesQuery } from "~/api/nodes";
import type { Problem } from "~/api/problem";
import type { TemplateBrief } from "~/api/teams";
import { BaseField } from "~/ui/base-field";
import { Area, Choice, Field } from "~/ui/field";
import { Help } from "~/ui/help";
import { Markdown } from "~/ui/markdown/markdown";
import { ModelChoice } from "~/ui/model-choice";
import { nodeState } from "~/ui/node-state";
import { NarrowFold } from "~/ui/fold";
import { Panel } from "~/ui/panel";
import { useRepoOptions } from "~/ui/repo-options";
import { Segments } from "~/ui/segments";
import { visible } from "~/ui/visible";
import { phasesOf, purposesOf, type Draft, type mistakesOf } from "./draft";
import { ProbeImage, RuntimeFields } from "./image-fields";
import { KindChoice, PhasesEdit } from "./kind-choice";
import { TeamChoice } from "./team-choice";

export interface PartProps {
  /** The number of the first of the three steps. */
  from: number;
  draft: Draft;
  set: (change: Partial<Draft>) => void;
  problem: Pick<Problem, "field"> | undefined;
  /** The mistakes that the page knows, once somebody has tried to send the form. */
  mistakes: ReturnType<typeof mistakesOf>;
}

const Step = ({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) => (
  <Panel title={title} aside={aside}>
    <div className="flex flex-col gap-4 px-4 py-3">{children}</div>
  </Panel>
);

function GoalStep({ from, draft, set, problem, mistakes }: PartProps) {
  const [reads, setReads] = useState(false);
  return (
    <Step title={`${from}. Goal`}>
      <Field
        label="Title"
        maxLength={200}
        autoComplete="off"
        value={draft.title}
        onChange={(event) => set({ title: event.target.value })}
        hint="The first line of the goal when you leave it empty."
        error={problem?.field("/title")}
      />
      {reads ? (
        <section aria-label="The goal as it is read" className="rounded-panel border border-line px-4 py-3">
          <Markdown text={draft.goal} what="the goal" />
        </section>
      ) : (
        <Area
          label="Goal"
          rows={8}
          maxLength={20_000}
          value={draft.goal}
          onChange={(event) => set({ goal: event.target.value })}
          hint="Describe the result that you want, in Markdown. Every phase reads it."
          error={problem?.field("/goal") ?? mistakes.goal}
        />
      )}
      {draft.goal.trim() !== "" && (
        <span>
          <Segments
            label="Goal"
            value={reads ? "read" : "write"}
            options={[
              ["write", "Write"],
              ["read", "Preview"],
            ]}
            onChange={(one) => setReads(one === "read")}
          />
        </span>
      )}
    </Step>
  );
}

function PlanStep({
  from,
  draft,
  set,
  problem,
  mistakes,
  templates,
}: PartProps & { templates: readonly TemplateBrief[] }) {
  const phases = phasesOf(draft);
  const purposes = purposesOf(draft);
  const alone = purposes.filter((purpose) => draft.teams[purpose].length === 0);
  return (
    <Step title={`${from + 1}. Phases and teams`} aside={<Help word="phase" />}>
      <KindChoice value={draft.kind} onChange={(kind) => set({ kind })} />
      {draft.kind === "custom" && (
        <PhasesEdit
          phases={draft.phases}
          error={problem?.field("/config/phases") ?? mistakes.phases}
          onChange={(next) => set({ phases: next })}
        />
      )}
      {phases.includes("benchmark") && (
        <Field
          label="Benchmark command"
          autoComplete="off"
          spellCheck="false"
          maxLength={4000}
          value={draft.benchmark}
          onChange={(event) => set({ benchmark: event.target.value })}
          hint="It runs at the top of the repository, before and after the work. When it is empty, Roost looks for make bench, cargo bench, go test -bench or npm run bench."
          error={problem?.field("/config/benchmark/command")}
        />
      )}
      <div className="grid gap-4 lg:grid-cols-2">
        {purposes.map((purpose) => (
          <TeamChoice
            key={purpose}
            purpose={purpose}
            templates={templates}
            value={draft.teams[purpose]}
            error={problem?.field(`/config/phase_teams/${purpose}`) ?? mistakes.teams}
            onChange={(ids) => set({ teams: { ...draft.teams, [purpose]: ids } })}
          />
        ))}
      </div>
      {purposes.length === 2 && alone.length === 1 && (
        <p className="text-small text-fg-3">
          A phase without a team of its own gets the first team of the mission.
        </p>
      )}
    </Step>
  );
}

function RepoFields({ draft, set, problem, mistakes }: PartProps) {
  const { repos, chosen, searched, ...asking } = useRepoOptions(draft.repo || null);
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Choice
        label="Repository"
        value={draft.repo}
        disabled={!repos}
        {...asking}
        onChange={(event) => set({ repo: event.target.value, base: "" })}
        hint={
          repos?.length === 0 && !searched
            ? "No code host is connected yet."
            : "It is checked out in the sandbox of every team."
        }
        error={problem?.field("/repo_id") ?? mistakes.repo}
      >
        {!searched && <option value="">None</option>}
        {(repos ?? []).map(({ id, full_name }) => (
          <option key={id} value={id}>
            {visible(full_name)}
          </option>
        ))}
        {/* Behind what was found it stands only as the present choice. */}
        {searched && !draft.repo && <option value="">None</option>}
        {draft.repo && repos && !chosen && <option value={draft.repo}>A repository that is gone</option>}
      </Choice>
      {draft.repo && (
        <BaseField
          id={draft.repo}
          repo={chosen}
          value={draft.base}
          onChange={(base) => set({ base })}
          error={problem?.field("/base_ref")}
        />
      )}
    </div>
  );
}

function PlaceStep(props: PartProps) {
  const { from, draft, set, problem, mistakes } = props;
  const nodes = useQuery(nodesQuery);
  const machines = (nodes.data ?? []).filter(({ status }) => status !== "pending");
  const chosen = machines.find(({ id }) => id === draft.machine);
  return (
    <NarrowFold
      id="place"
      title={`${from + 2}. Repository, place and limits`}
      summary="Optional"
      opened={[props.mistakes.repo, props.mistakes.budget, props.problem].some(Boolean)}
    >
      <div className="flex flex-col gap-4 px-4 py-3">
        <RepoFields {...props} />
        <div className="grid gap-3 sm:grid-cols-2">
          <Choice
            label="Runs on"
            value={draft.machine}
            onChange={(event) => set({ machine: event.target.value })}
            hint={
              draft.machine
                ? `${chosen ? `${nodeState(chosen).why}. ` : ""}Its sandboxes are on this machine only. While the machine is away, the mission waits for it.`
                : "Sandboxes are created where the workspace's placement says."
            }
            error={problem?.field("/target_node_id") ?? problem?.field("/runtime_kind")}
          >
            <option value="">Any machine (standard)</option>
            {machines.map((node) => (
              <option key={node.id} value={node.id}>
                {visible(node.name)} ({nodeState(node).word})
              </option>
            ))}
            {draft.machine && nodes.data && !chosen && (
              <option value={draft.machine}>A machine that is not paired any more</option>
            )}
          </Choice>
          <ModelChoice
            label="Model"
            inherited="As each agent is set"
            value={draft.model}
            onChange={(model) => set({ model })}
            hint="All its agents use it."
            error={problem?.field("/model")}
          />
          <Field
            label="Budget, in dollars"
            inputMode="decimal"
            autoComplete="off"
            placeholder="no limit"
            value={draft.budget}
            onChange={(event) => set({ budget: event.target.value })}
            hint="What all its runs together may cost at most."
            error={problem?.field("/budget_usd") ?? mistakes.budget}
          />
        </div>
        {purposesOf(draft).length > 0 && <RuntimeFields {...props} />}
        <ProbeImage {...props} />
      </div>
    </NarrowFold>
  );
}

/** The three steps of a mission. */
export function MissionFields({ templates, ...parts }: PartProps & { templates: readonly TemplateBrief[] }) {
  return (
    <>
      <GoalStep {...parts} />
      <PlanStep {...parts} templates={templates} />
      <PlaceStep {...parts} />
    </>
  );
}

/** What the gateway says of fields that the steps do not have. */
export const SHOWN =
  /^\/(title|goal|repo_id|base_ref|target_node_id|runtime_kind|model|budget_usd|config\/(phases|image)|config\/runtime\/(image|command)|config\/phase_teams\/(research|coding))$/;
