import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { Plus, Scale, Trash2 } from "lucide-react";
import { useState, type SubmitEvent } from "react";
import { clawsQuery } from "~/api/claws";
import { useMay } from "~/api/may";
import { asProblem, type Problem } from "~/api/problem";
import { teamsQuery, type Team, type TopologyKind } from "~/api/teams";
import { QueryView } from "~/ui/query-view";
import { apart } from "~/ui/apart";
import { Button, buttonClass } from "~/ui/button";
import { sumMistake } from "~/ui/dollars";
import { Empty } from "~/ui/empty";
import { Area, Choice, Field } from "~/ui/field";
import { useKeyedMutation } from "~/ui/keyed-mutation";
import { MissingRight } from "~/ui/missing-right";
import { Notice } from "~/ui/notice";
import { PaceFields } from "~/ui/pace-fields";
import { PageFrame } from "~/ui/page";
import { Panel } from "~/ui/panel";
import { ProblemNote } from "~/ui/problem";
import { KIND_NAMES } from "~/ui/topology/kinds";
import { visible } from "~/ui/visible";
import { CompareFiles } from "./compare-files";
import { bodyOf, draftOf, emptyDraft, isWhole, MOST, sharesTeam, type Draft } from "./compare";
import { compare, runQuery } from "./queries";

const route = getRouteApi("/shell/runs/compare");

interface LineProps {
  one: Draft["candidates"][number];
  at: number;
  teams: Team[];
  problem: Problem | undefined;
  change: (more: Partial<Draft["candidates"][number]>) => void;
  remove: (() => void) | undefined;
}

function Candidate({ one, at, teams, problem, change, remove }: LineProps) {
  return (
    <li className="border-b border-line px-4 py-3 last:border-0">
      <fieldset className="grid min-w-0 items-start gap-3 sm:grid-cols-[1fr_1fr_auto]">
        <legend className="sr-only">Candidate {at + 1}</legend>
        <Choice
          label="Team"
          required
          value={one.team}
          error={problem?.field(`/candidates/${at}/team_id`)}
          onChange={(event) => change({ team: event.target.value })}
        >
          <option value="">Choose one</option>
          {[...apart(teams.map(({ id, name }) => [id, visible(name).slice(0, 100)] as const))].map(
            ([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ),
          )}
        </Choice>
        <Choice
          label="How they work together"
          value={one.kind}
          error={problem?.field(`/candidates/${at}/topology`)}
          onChange={(event) => change({ kind: event.target.value as TopologyKind | "" })}
        >
          <option value="">As the team does</option>
          {KIND_NAMES.map(([kind, name]) => (
            <option key={kind} value={kind}>
              {name}
            </option>
          ))}
        </Choice>
        <Button
          className="justify-self-end sm:mt-[22px]"
          aria-label={`Remove candidate ${at + 1}`}
          icon={<Trash2 size={14} aria-hidden />}
          disabled={!remove}
          onClick={remove}
        />
      </fieldset>
    </li>
  );
}

/** A part of the form: what is written so far, and what the gateway said of it. */
interface PartProps {
  draft: Draft;
  problem: Problem | undefined;
  set: (more: Partial<Draft>) => void;
}

/** Who is compared; most often the same team once more, in another way. */
function Candidates({ teams, draft, problem, set }: PartProps & { teams: Team[] }) {
  const { candidates } = draft;
  const change = (id: number, more: Partial<Draft["candidates"][number]>) =>
    set({ candidates: candidates.map((each) => (each.id === id ? { ...each, ...more } : each)) });
  const add = () => {
    const id = Math.max(...candidates.map((each) => each.id)) + 1;
    set({ candidates: [...candidates, { id, team: candidates.at(-1)?.team ?? "", kind: "" }] });
  };
  const remove = (id: number) => set({ candidates: candidates.filter((each) => each.id !== id) });
  return (
    <Panel title="Candidates" aside={`2 to ${MOST}`}>
      <ol>
        {candidates.map((one, at) => (
          <Candidate
            key={one.id}
            one={one}
            at={at}
            teams={teams}
            problem={problem}
            change={(more) => change(one.id, more)}
            remove={candidates.length > 2 ? () => remove(one.id) : undefined}
          />
        ))}
      </ol>
      <p className="border-t border-line px-4 py-3">
        <Button icon={<Plus size={14} aria-hidden />} disabled={candidates.length >= MOST} onClick={add}>
          Add a candidate
        </Button>
      </p>
    </Panel>
  );
}

/** Who judges, what it may cost, and what it is called. */
function Terms({ draft, problem, set }: PartProps) {
  const agents = useQuery(clawsQuery);
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <Field
        label="Title (optional)"
        maxLength={200}
        autoComplete="off"
        value={draft.title}
        error={problem?.field("/title")}
        onChange={(event) => set({ title: event.target.value })}
      />
      <Choice
        label="Who judges"
        hint="It has no tools. It does not know which candidate wrote an answer."
        value={draft.judge}
        error={problem?.field("/judge_agent_id")}
        onChange={(event) => set({ judge: event.target.value })}
      >
        <option value="">Nobody</option>
        {[
          ...apart(
            (agents.data ?? [])
              .filter(({ deleted_at }) => !deleted_at)
              .map(({ id, name }) => [id, visible(name).slice(0, 100)] as const),
          ),
        ].map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Choice>
      <Field
        label="Budget, in dollars"
        inputMode="decimal"
        autoComplete="off"
        placeholder="no limit"
        hint="For all candidates together. Each may spend an equal part."
        value={draft.most}
        error={sumMistake(draft.most) ?? problem?.field("/cost_ceiling_microusd")}
        onChange={(event) => set({ most: event.target.value })}
      />
      <PaceFields value={draft} onChange={set} problem={problem} />
    </div>
  );
}

function Form({ teams, begin: first }: { teams: Team[]; begin: Draft }) {
  const [draft, setDraft] = useState(first);
  const navigate = useNavigate();
  const set = (more: Partial<Draft>) => setDraft((before) => ({ ...before, ...more }));
  const begin = useKeyedMutation(compare);
  const problem = begin.isError ? asProblem(begin.error) : undefined;
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const run = await begin.mutateAsync(bodyOf(draft)).catch(() => undefined);
    if (run) await navigate({ to: "/runs/$id", params: { id: run.id } });
  };
  const part = { draft, problem, set };
  return (
    <form onSubmit={(event) => void submit(event)} className="flex max-w-4xl flex-col gap-4">
      <Candidates {...part} teams={teams} />
      {!sharesTeam(draft) && <CompareFiles {...part} />}
      {sharesTeam(draft) && (
        <Notice>
          The same team is selected twice. Its agents work in the same sandboxes both times, so each candidate
          sees the files of the other.
        </Notice>
      )}
      <Area
        label="Goal"
        required
        rows={4}
        maxLength={100_000}
        hint="Each candidate gets the same text."
        value={draft.input}
        error={problem?.field("/input")}
        onChange={(event) => set({ input: event.target.value })}
      />
      <Terms {...part} />
      {problem && <ProblemNote problem={problem} />}
      <Button
        type="submit"
        look="primary"
        className="self-start"
        icon={<Scale size={14} aria-hidden />}
        busy={begin.isPending}
        disabled={!isWhole(draft) || sumMistake(draft.most) !== undefined}
      >
        Compare
      </Button>
    </form>
  );
}

/** The form, which begins with a run where the address names one. */
function Begun({ teams }: { teams: Team[] }) {
  const { run: id } = route.useSearch();
  const run = useQuery({ ...runQuery(id ?? ""), enabled: id !== undefined });
  if (id === undefined) return <Form teams={teams} begin={emptyDraft()} />;
  return (
    <QueryView query={run} what="run" rows={4}>
      {(found) => <Form teams={teams} begin={draftOf(found)} />}
    </QueryView>
  );
}

/** One input for several teams, or for one team in several ways of working together. */
export function ComparePage() {
  const teams = useQuery(teamsQuery);
  const may = useMay()("runs.start");
  return (
    <PageFrame crumbs={[{ label: "Runs", to: "/runs" }, { label: "Compare teams" }]}>
      <h1 className="text-head-1">Compare teams</h1>
      <p className="max-w-[72ch] text-fg-2">
        Several teams, or one team with several topologies, get the same goal at the same time. The page shows
        their outputs, times and costs side by side.
      </p>
      {!may && <MissingRight what="start runs" least="member" />}
      {may && (
        <QueryView query={teams} what="teams" rows={4}>
          {(list) =>
            list.length === 0 ? (
              <Empty
                title="There is no team to compare"
                action={
                  <Link to="/teams/new" className={buttonClass("primary")}>
                    Make a team
                  </Link>
                }
              >
                One is enough: it can be compared with itself under another topology.
              </Empty>
            ) : (
              <Begun teams={list} />
            )
          }
        </QueryView>
      )}
    </PageFrame>
  );
}
