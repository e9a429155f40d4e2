// Changes a routine. What was typed stays when somebody else changes the routine at the same time.
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import { changeRoutine, routineQuery, type Routine } from "~/api/routines";
import { templatesQuery, type TemplateBrief } from "~/api/teams";
import { renew } from "~/live/renew";
import { Button } from "~/ui/button";
import { LeaveGuard } from "~/ui/leave-guard";
import { QueryView } from "~/ui/query-view";
import { changeOf, draftOf, mistakesOf, PARTS, partsChanged, type Draft, type Part } from "./draft";
import { RefusedNote, RoutineFields, type DrawMission } from "./fields";
import { partWords } from "./words";

/** Somebody else changed a part of this routine since the form showed it. */
class Moved extends Error {}

interface Props {
  /** The routine as the gateway has it now. */
  routine: Routine;
  mission: DrawMission;
  onEnd: () => void;
}

/** What somebody else changed meanwhile, and what happens to it. */
function MovedNote({ theirs, both, onDiscard }: { theirs: Part[]; both: Part[]; onDiscard: () => void }) {
  return (
    <div
      role="alert"
      className="flex flex-col gap-2 rounded-control border border-waiting/60 bg-waiting/8 px-3 py-2"
    >
      <p className="font-[550]">Somebody else changed this routine meanwhile</p>
      <p className="text-fg-2">
        Changed: {partWords(theirs)}. What you typed is kept.{" "}
        {both.length > 0
          ? `Both of you changed ${partWords(both)}, so you have to decide: save yours over it, or discard yours.`
          : "You changed other parts, so both changes can stay."}
      </p>
      <span>
        <Button onClick={onDiscard}>Discard mine</Button>
      </span>
    </div>
  );
}

function Form({ routine, mission, onEnd, templates }: Props & { templates: TemplateBrief[] }) {
  const client = useQueryClient();
  // The form began with it. A change by somebody else is told from one that was made here.
  const [opened] = useState(routine);
  const [draft, setDraft] = useState(() => draftOf(routine));
  const [tried, setTried] = useState(false);
  const set = (change: Partial<Draft>) => setDraft((now) => ({ ...now, ...change }));
  const mistakes = mistakesOf(draft);
  const missing = Object.keys(mistakes).length > 0;
  const change = changeOf(draft, opened);
  const mine = PARTS.filter((part) => change[part] !== undefined);
  const theirs = partsChanged(opened, routine);
  const both = theirs.filter((part) => mine.includes(part));
  const save = useMutation({
    mutationFn: async () => {
      try {
        // From the version that the form shows: the one that it began with, or the one that the note tells of.
        return await changeRoutine(routine.id, change, routine.version);
      } catch (error) {
        if (asProblem(error).status !== 412) throw error;
        const fresh = await client.fetchQuery({ ...routineQuery(routine.id), staleTime: 0 });
        if (partsChanged(routine, fresh).length > 0) throw new Moved();
        // A firing writes a version too, and it changes no part of the form.
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
      {theirs.length > 0 && <MovedNote theirs={theirs} both={both} onDiscard={onEnd} />}
      {tried && missing && (
        <p role="status" className="text-failed">
          Something is missing above.
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" busy={save.isPending} disabled={mine.length === 0}>
          {both.length > 0 ? "Save mine over it" : "Save"}
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
