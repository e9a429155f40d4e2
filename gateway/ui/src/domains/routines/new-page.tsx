// Makes a routine. The gateway says the next due times while the schedule is typed.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState, type SubmitEvent } from "react";
import { useMay } from "~/api/may";
import { asProblem, type Problem } from "~/api/problem";
import { createRoutine, previewQuery, type RoutineSchedule } from "~/api/routines";
import { templatesQuery, type TemplateBrief } from "~/api/teams";
import { Button } from "~/ui/button";
import { Area, Choice, Field, Tick } from "~/ui/field";
import { useKeyedMutation } from "~/ui/keyed-mutation";
import { MissingRight } from "~/ui/missing-right";
import { PageFrame } from "~/ui/page";
import { Panel } from "~/ui/panel";
import { ProblemNote } from "~/ui/problem";
import { QueryView } from "~/ui/query-view";
import { Segments } from "~/ui/segments";
import { visible } from "~/ui/visible";
import { bodyOf, EMPTY, mistakesOf, scheduleOf, type Draft } from "./draft";
import { DueLine } from "./due-line";
import { MISSED, OVERLAP } from "./words";

const PAUSE_MS = 300;

/** The schedule once nobody has typed for a moment. */
function useSettled(schedule: RoutineSchedule): RoutineSchedule {
  const [settled, setSettled] = useState(schedule);
  const text = JSON.stringify(schedule);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text) as RoutineSchedule), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

const zones = (): string[] => ["UTC", ...Intl.supportedValuesOf("timeZone").filter((zone) => zone !== "UTC")];

interface PartProps {
  draft: Draft;
  set: (change: Partial<Draft>) => void;
}

function ScheduleStep({ draft, set }: PartProps) {
  const preview = useQuery(previewQuery(useSettled(scheduleOf(draft))));
  const problem: Problem | undefined = preview.error ? asProblem(preview.error) : undefined;
  const other = problem?.fields.find(({ pointer }) => pointer === "/schedule");
  return (
    <Panel title="1. Schedule">
      <div className="flex flex-col gap-4 px-4 py-3">
        <span>
          <Segments
            label="Kind of schedule"
            value={draft.kind}
            options={[
              ["cron", "At times"],
              ["loop", "In a loop"],
            ]}
            onChange={(kind) => set({ kind })}
          />
        </span>
        {draft.kind === "cron" ? (
          <div key="cron" className="grid gap-3 sm:grid-cols-2">
            <Field
              label="Cron expression"
              autoComplete="off"
              spellCheck="false"
              maxLength={200}
              value={draft.expression}
              onChange={(event) => set({ expression: event.target.value })}
              hint="Minute, hour, day of the month, month, day of the week."
              error={problem?.field("/schedule/expression")}
            />
            <Choice
              label="Time zone"
              value={draft.zone}
              onChange={(event) => set({ zone: event.target.value })}
              error={problem?.field("/schedule/time_zone")}
            >
              {zones().map((zone) => (
                <option key={zone}>{zone}</option>
              ))}
            </Choice>
          </div>
        ) : (
          <div key="loop" className="grid gap-3 sm:grid-cols-2">
            <Field
              label="Every so many minutes"
              inputMode="numeric"
              value={draft.minutes}
              onChange={(event) => set({ minutes: event.target.value })}
              hint="The first firing is at once."
              error={problem?.field("/schedule/every_minutes")}
            />
            <Field
              label="Times in all"
              inputMode="numeric"
              value={draft.times}
              onChange={(event) => set({ times: event.target.value })}
              hint="Without an end when you leave it empty."
              error={problem?.field("/schedule/times")}
            />
          </div>
        )}
        {other && <p className="text-failed">{visible(other.detail)}</p>}
        <div aria-live="polite">
          {preview.data && <DueLine due={preview.data.due} words={visible(preview.data.words)} />}
          {problem?.fields.length === 0 && <ProblemNote problem={problem} />}
        </div>
      </div>
    </Panel>
  );
}

interface WorkProps extends PartProps {
  templates: TemplateBrief[];
  problem: Problem | undefined;
  mistakes: ReturnType<typeof mistakesOf>;
}

function WorkStep({ draft, set, templates, problem, mistakes }: WorkProps) {
  return (
    <Panel title="2. Work">
      <div className="flex flex-col gap-4 px-4 py-3">
        <Field
          label="Name"
          maxLength={200}
          autoComplete="off"
          value={draft.name}
          onChange={(event) => set({ name: event.target.value })}
          error={problem?.field("/name") ?? mistakes.name}
        />
        <span>
          <Segments
            label="What it starts"
            value={draft.starts}
            options={[
              ["team", "A team"],
              ["mission", "A research mission"],
            ]}
            onChange={(starts) => set({ starts })}
          />
        </span>
        <Choice
          label="Team template"
          value={draft.template}
          onChange={(event) => set({ template: event.target.value })}
          hint={
            draft.starts === "team"
              ? "Each firing creates the team, which works once and is then deleted with its agents."
              : "Each firing creates a mission with a team of this template, and launches it."
          }
          error={problem?.field("/recipe/template_id") ?? mistakes.template}
        >
          <option value="">Choose</option>
          {templates.map(({ id, name }) => (
            <option key={id} value={id}>
              {visible(name)}
            </option>
          ))}
        </Choice>
        <Area
          label="Goal"
          rows={4}
          maxLength={20_000}
          value={draft.goal}
          onChange={(event) => set({ goal: event.target.value })}
          error={problem?.field("/recipe/goal") ?? mistakes.goal}
        />
        <div className="grid gap-3 sm:grid-cols-2">
          <Choice
            label="After a downtime"
            value={draft.missed}
            onChange={(event) => set({ missed: event.target.value === "skip" ? "skip" : "once" })}
            hint={MISSED[draft.missed]}
          >
            <option value="once">Fire once</option>
            <option value="skip">Do not fire</option>
          </Choice>
          <Choice
            label="While an earlier firing works"
            value={draft.overlap}
            onChange={(event) => set({ overlap: event.target.value === "allow" ? "allow" : "skip" })}
            hint={OVERLAP[draft.overlap]}
          >
            <option value="skip">Skip</option>
            <option value="allow">Fire too</option>
          </Choice>
        </div>
        <Tick
          label="Go on although something is missing"
          checked={draft.accepts}
          onChange={(event) => set({ accepts: event.target.checked })}
          hint="Without it, a routine is refused when the sandboxes of its team would lack something."
        />
      </div>
    </Panel>
  );
}

function Form({ templates }: { templates: TemplateBrief[] }) {
  const [draft, setDraft] = useState(EMPTY);
  const [tried, setTried] = useState(false);
  const navigate = useNavigate();
  const make = useKeyedMutation(createRoutine);
  const problem = make.error ? asProblem(make.error) : undefined;
  const found = mistakesOf(draft);
  const set = (change: Partial<Draft>) => setDraft((now) => ({ ...now, ...change }));
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(found).length > 0) return;
    const made = await make.mutateAsync(bodyOf(draft)).catch(() => undefined);
    if (made) await navigate({ to: "/routines/$id", params: { id: made.id } });
  };
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      <ScheduleStep draft={draft} set={set} />
      <WorkStep
        draft={draft}
        set={set}
        templates={templates}
        problem={problem}
        mistakes={tried ? found : {}}
      />
      {problem && (
        <ProblemNote problem={problem}>
          {problem.fields.map(({ pointer, detail }) => (
            <p key={pointer} className="text-fg-2">
              {visible(detail)}
            </p>
          ))}
        </ProblemNote>
      )}
      <span>
        <Button type="submit" look="primary" busy={make.isPending}>
          Make routine
        </Button>
      </span>
    </form>
  );
}

/** The form of a new routine. */
export function NewRoutinePage() {
  const templates = useQuery(templatesQuery);
  const manages = useMay()("routines.manage");
  return (
    <PageFrame crumbs={[{ label: "Routines", to: "/routines" }, { label: "New routine" }]}>
      <h1 className="text-head-1">New routine</h1>
      {!manages && <MissingRight what="make routines" least="member" />}
      {manages && (
        <QueryView query={templates} what="team templates" rows={8}>
          {(all) => <Form templates={all} />}
        </QueryView>
      )}
    </PageFrame>
  );
}
