// Changes a routine. What was typed stays when somebody else changes the routine at the same time.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import { changeRoutine, routineQuery, type Routine } from "~/api/routines";
import { templatesQuery, type TemplateBrief } from "~/api/teams";
import { renew } from "~/live/renew";
import { Button } from "~/ui/button";
import { ClashPart } from "~/ui/clash/clash";
import { LeaveGuard } from "~/ui/leave-guard";
import { QueryView } from "~/ui/query-view";
import { changeOf, draftOf, mistakesOf, PARTS, partsChanged, type Draft, type Part } from "./draft";
import { RefusedNote, RoutineFields, type DrawMission } from "./fields";
import { goalOf, limitOf, MISSED, modelOf, OVERLAP, startsWord } from "./words";

/** Somebody else changed a part of this routine since the form showed it. */
class Moved extends Error {}

interface Props {
  /** The routine as the gateway has it now. */
  routine: Routine;
  mission: DrawMission;
  onEnd: () => void;
}

const LABELS: Record<Part, string> = {
  name: "Name",
  schedule: "Schedule",
  recipe: "What it starts",
  missed: "After a downtime",
  overlap: "Overlap",
};

type Parts = Pick<Routine, Part>;
const partsOf = ({ name, schedule, recipe, missed, overlap }: Parts): Parts => ({
  name,
  schedule,
  recipe,
  missed,
  overlap,
});

function say(part: Part, { name, schedule, recipe, missed, overlap }: Parts): string {
  switch (part) {
    case "name":
      return name;
    case "schedule":
      return schedule.kind === "cron"
        ? `${schedule.expression} (${schedule.time_zone})`
        : `every ${schedule.every_minutes} min${schedule.times ? `, ${schedule.times} times` : ""}`;
    case "recipe":
      return [
        startsWord(recipe),
        `Goal: ${goalOf(recipe)}`,
        `Model: ${modelOf(recipe) ?? "as each agent is set"}`,
        `Cost limit: ${limitOf(recipe)}`,
      ].join("\n");
    case "missed":
      return MISSED[missed];
    case "overlap":
      return OVERLAP[overlap];
  }
}

function Form({ routine, mission, onEnd, templates }: Props & { templates: TemplateBrief[] }) {
  const client = useQueryClient();
  // The form began with it. A change by somebody else is told from one that was made here.
  const [opened, setOpened] = useState(routine);
  const [draft, setDraft] = useState(() => draftOf(routine));
  const [tried, setTried] = useState(false);
  const set = (change: Partial<Draft>) => setDraft((now) => ({ ...now, ...change }));
  const mistakes = mistakesOf(draft);
  const missing = Object.keys(mistakes).length > 0;
  const change = changeOf(draft, opened);
  const mine = PARTS.filter((part) => change[part] !== undefined);
  const theirs = partsChanged(opened, routine);
  const save = useMutation({
    mutationFn: async () => {
      try {
        // From the version that the form shows: the one that it began with, or the one that the note tells of.
        return await changeRoutine(routine.id, change, routine.version);
      } catch (error) {
        if (asProblem(error).status !== 412) throw error;
        const fresh = await client.fetchQuery({ ...routineQuery(routine.id), staleTime: 0 });
        if (partsChanged(routine, fresh).length > 0) throw new Moved();
        // A start writes a version too, and it changes no part of the form.
        return changeRoutine(routine.id, change, fresh.version);
      }
    },
    onSuccess: async () => {
      await renew(client, { queryKey: keys.routines });
      onEnd();
    },
  });
  const problem = save.error && !(save.error instanceof Moved) ? asProblem(save.error) : undefined;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setTried(true);
    if (!missing) save.mutate();
  };
  return (
    <form noValidate onSubmit={submit} aria-label="Edit the routine" className="flex flex-col gap-4">
      <RoutineFields {...{ draft, set, templates, problem, tried, mistakes, mission }} />
      {problem && <RefusedNote problem={problem} />}
      <ClashPart
        clash={
          theirs.length > 0 && mine.length > 0
            ? {
                was: partsOf(opened),
                theirs: partsOf(routine),
                mine: { ...partsOf(opened), ...change } as Parts,
              }
            : undefined
        }
        what="routine"
        id={routine.id}
        labels={LABELS}
        words={say}
        busy={save.isPending}
        onTheirs={() => {
          save.reset();
          setOpened(routine);
          setDraft(draftOf(routine));
        }}
      />
      {tried && missing && (
        <p role="status" className="text-failed">
          Something is missing above.
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          type="submit"
          look="primary"
          busy={save.isPending}
          disabled={mine.length === 0 || theirs.length > 0}
        >
          Save
        </Button>
        <Button onClick={onEnd}>Cancel</Button>
      </div>
      <LeaveGuard
        dirty={mine.length > 0 && !save.isPending && !save.isSuccess}
        title="Leave without saving?"
        consequence="Your change of the routine is not saved yet."
      />
    </form>
  );
}

/** The form of a routine that is there. */
export function EditRoutine(props: Props) {
  const templates = useQuery(templatesQuery);
  return (
    <QueryView query={templates} what="team templates" rows={8}>
      {(all) => <Form templates={all} {...props} />}
    </QueryView>
  );
}
