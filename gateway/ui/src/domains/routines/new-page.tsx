// Makes a routine.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type SubmitEvent } from "react";
import { useMay } from "~/api/may";
import { asProblem } from "~/api/problem";
import { createRoutine } from "~/api/routines";
import { templatesQuery, type TemplateBrief } from "~/api/teams";
import { Button } from "~/ui/button";
import { useKeyedMutation } from "~/ui/keyed-mutation";
import { MissingRight } from "~/ui/missing-right";
import { PageFrame } from "~/ui/page";
import { QueryView } from "~/ui/query-view";
import { bodyOf, EMPTY, mistakesOf, type Draft } from "./draft";
import { RefusedNote, RoutineFields, type DrawMission } from "./fields";

interface Props {
  /** The steps of a mission, which another domain draws. */
  mission: DrawMission;
}

function Form({ templates, mission }: Props & { templates: TemplateBrief[] }) {
  const [draft, setDraft] = useState(EMPTY);
  const [tried, setTried] = useState(false);
  const navigate = useNavigate();
  const make = useKeyedMutation(createRoutine);
  const problem = make.error ? asProblem(make.error) : undefined;
  const mistakes = mistakesOf(draft);
  const missing = Object.keys(mistakes).length > 0;
  const set = (change: Partial<Draft>) => setDraft((now) => ({ ...now, ...change }));
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setTried(true);
    if (missing) return;
    const made = await make.mutateAsync(bodyOf(draft)).catch(() => undefined);
    if (made) await navigate({ to: "/routines/$id", params: { id: made.id } });
  };
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      <RoutineFields {...{ draft, set, templates, problem, tried, mistakes, mission }} />
      {problem && <RefusedNote problem={problem} />}
      {tried && missing && (
        <p role="status" className="text-failed">
          Something is missing above.
        </p>
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
export function NewRoutinePage({ mission }: Props) {
  const templates = useQuery(templatesQuery);
  const manages = useMay()("routines.manage");
  return (
    <PageFrame crumbs={[{ label: "Routines", to: "/routines" }, { label: "New routine" }]}>
      <h1 className="text-head-1">New routine</h1>
      {!manages && <MissingRight what="make routines" least="member" />}
      {manages && (
        <QueryView query={templates} what="team templates" rows={8}>
          {(all) => <Form templates={all} mission={mission} />}
        </QueryView>
      )}
    </PageFrame>
  );
}
