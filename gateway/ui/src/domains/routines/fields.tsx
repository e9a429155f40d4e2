// The steps of the form of a routine. The gateway says the next due times while the schedule is typed.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState, type ReactNode } from "react";
import type { NewMission } from "~/api/missions";
import { asProblem, type FieldError, type Problem } from "~/api/problem";
import { previewQuery, type RoutineSchedule } from "~/api/routines";
import type { TemplateBrief } from "~/api/teams";
import { apart } from "~/ui/apart";
import { Area, Choice, Field, Tick } from "~/ui/field";
import { Panel } from "~/ui/panel";
import { ProblemNote } from "~/ui/problem";
import { Segments } from "~/ui/segments";
import { visible } from "~/ui/visible";
import { scheduleOf, type Draft, type mistakesOf } from "./draft";
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
              label="Interval, in minutes"
              inputMode="numeric"
              value={draft.minutes}
              onChange={(event) => set({ minutes: event.target.value })}
              hint="The first start is at once, also after a change."
              error={problem?.field("/schedule/every_minutes")}
            />
            <Field
              label="Number of starts"
              inputMode="numeric"
              value={draft.times}
              onChange={(event) => set({ times: event.target.value })}
              hint="Leave it empty for no limit."
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
  templates: readonly TemplateBrief[];
  problem: Problem | undefined;
  mistakes: ReturnType<typeof mistakesOf>;
}

/** A team that is made for each start. */
function TeamWork({ draft, set, templates, problem, mistakes }: WorkProps) {
  const gone = draft.template !== "" && !templates.some(({ id }) => id === draft.template);
  return (
    <>
      <Choice
        label="Team template"
        value={draft.template}
        onChange={(event) => set({ template: event.target.value })}
        hint="Each start creates the team, which works once and is then deleted with its agents."
        error={problem?.field("/recipe/template_id") ?? mistakes.template}
      >
        <option value="">Choose</option>
        {[...apart(templates.map(({ id, name }) => [id, visible(name)] as const))].map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
        {gone && <option value={draft.template}>A template that was deleted</option>}
      </Choice>
      <Area
        label="Goal"
        rows={4}
        maxLength={20_000}
        value={draft.goal}
        onChange={(event) => set({ goal: event.target.value })}
        error={problem?.field("/recipe/goal") ?? mistakes.goal}
      />
    </>
  );
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
              ["mission", "A mission"],
            ]}
            onChange={(starts) => set({ starts })}
          />
        </span>
        {draft.starts === "team" ? (
          <TeamWork {...{ draft, set, templates, problem, mistakes }} />
        ) : (
          <p className="text-fg-2">
            Each start creates the mission that you describe below, and launches it. When a mission of this
            routine ends, the teams of its earlier missions are deleted with their agents. A team that still
            works stays, and so does one with a level-up that waits for a decision.
          </p>
        )}
        <div className="grid gap-3 sm:grid-cols-2">
          <Choice
            label="After a downtime"
            value={draft.missed}
            onChange={(event) => set({ missed: event.target.value === "skip" ? "skip" : "once" })}
            hint={MISSED[draft.missed]}
          >
            <option value="once">Start once</option>
            <option value="skip">Do not start</option>
          </Choice>
          <Choice
            label="While earlier work goes on"
            value={draft.overlap}
            onChange={(event) => set({ overlap: event.target.value === "allow" ? "allow" : "skip" })}
            hint={OVERLAP[draft.overlap]}
          >
            <option value="skip">Skip</option>
            <option value="allow">Start too</option>
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

/** The steps of a mission, which another domain draws. */
export interface MissionPart {
  from: number;
  start: NewMission | undefined;
  templates: readonly TemplateBrief[];
  tried: boolean;
  errors: readonly FieldError[];
  onChange: (mission: NewMission, complete: boolean) => void;
}
export type DrawMission = (part: MissionPart) => ReactNode;

const OF_MISSION = "/recipe/mission";

interface Props extends PartProps {
  templates: readonly TemplateBrief[];
  problem: Problem | undefined;
  tried: boolean;
  mistakes: ReturnType<typeof mistakesOf>;
  mission: DrawMission;
}

/** All steps of a routine. */
export function RoutineFields({ draft, set, templates, problem, tried, mistakes, mission }: Props) {
  return (
    <>
      <ScheduleStep draft={draft} set={set} />
      <WorkStep {...{ draft, set, templates, problem }} mistakes={tried ? mistakes : {}} />
      {draft.starts === "mission" &&
        mission({
          from: 3,
          start: draft.mission?.body,
          templates,
          tried,
          errors: (problem?.fields ?? []).flatMap(({ pointer, detail }) =>
            pointer.startsWith(OF_MISSION) ? [{ pointer: pointer.slice(OF_MISSION.length), detail }] : [],
          ),
          onChange: (body, complete) => set({ mission: { body, complete } }),
        })}
    </>
  );
}

const PLACED = /^\/(schedule|name|recipe\/(template_id|goal))/;

/** What the gateway refused, without what a step shows. */
export function RefusedNote({ problem }: { problem: Problem }) {
  const others = problem.fields.filter(({ pointer }) => !PLACED.test(pointer));
  if (problem.fields.length > 0 && others.length === 0) return null;
  return (
    <ProblemNote problem={problem}>
      {others.map(({ pointer, detail }) => (
        <p key={pointer} className="text-fg-2">
          {visible(detail)}
        </p>
      ))}
    </ProblemNote>
  );
}
