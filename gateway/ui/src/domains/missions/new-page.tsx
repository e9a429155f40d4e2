// Creates a mission as a draft. What was typed stays in the browser until it is created.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState, type SubmitEvent } from "react";
import { useMay } from "~/api/may";
import { meQuery } from "~/api/me";
import { asProblem } from "~/api/problem";
import { templatesQuery, type TemplateBrief } from "~/api/teams";
import { Button } from "~/ui/button";
import { Help } from "~/ui/help";
import { useKeyedMutation } from "~/ui/keyed-mutation";
import { MissingRight } from "~/ui/missing-right";
import { PageFrame } from "~/ui/page";
import { ProblemNote } from "~/ui/problem";
import { QueryView } from "~/ui/query-view";
import { Loading } from "~/ui/skeleton";
import { visible } from "~/ui/visible";
import { bodyOf, EMPTY, isTouched, mistakesOf, storeDraft, storedDraft, type Draft } from "./draft";
import { MissionFields, SHOWN } from "./fields";
import { createMission, useTake } from "./queries";

function Form({ person, templates }: { person: string; templates: TemplateBrief[] }) {
  const [draft, setDraft] = useState(() => storedDraft(person));
  const [tried, setTried] = useState(false);
  const make = useKeyedMutation(createMission);
  const take = useTake();
  const navigate = useNavigate();
  const box = useRef<HTMLFormElement>(null);
  const problem = make.isError ? asProblem(make.error) : undefined;
  const found = mistakesOf(draft);
  const mistakes = tried ? found : {};
  const write = (next: Draft) => {
    setDraft(next);
    storeDraft(person, next);
  };
  const toMistake = () =>
    requestAnimationFrame(() =>
      box.current?.querySelector<HTMLElement>("[aria-invalid=true], .border-failed input")?.focus(),
    );
  useEffect(() => {
    // The form is longer than the screen: the refused field is brought into view.
    if (make.error) toMistake();
  }, [make.error]);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(found).length > 0) {
      toMistake();
      return;
    }
    const made = await make.mutateAsync(bodyOf(draft)).catch(() => undefined);
    if (!made) return;
    storeDraft(person, EMPTY);
    take(made);
    await navigate({ to: "/missions/$id", params: { id: made.id } });
  };
  const set = (change: Partial<Draft>) => write({ ...draft, ...change });
  const parts = { from: 1, draft, set, problem, mistakes };
  const others = problem?.fields.filter(({ pointer }) => !SHOWN.test(pointer)) ?? [];
  return (
    <form ref={box} noValidate onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      <MissionFields {...parts} templates={templates} />
      {problem && (problem.fields.length === 0 || others.length > 0) && (
        <ProblemNote problem={problem}>
          {others.map(({ pointer, detail }) => (
            <p key={pointer} className="text-fg-2">
              {visible(detail)}
            </p>
          ))}
        </ProblemNote>
      )}
      {tried && Object.keys(found).length > 0 && (
        <p role="status" className="text-failed">
          Something is missing above.
        </p>
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <Button type="submit" look="primary" busy={make.isPending}>
          Create draft and check
        </Button>
        {isTouched(draft) && (
          <Button
            onClick={() => {
              write(EMPTY);
              setTried(false);
              make.reset();
            }}
          >
            Clear
          </Button>
        )}
        <span className="text-small text-fg-3">
          Next you see which teams a launch creates, where they work, and what is missing.
        </span>
      </div>
    </form>
  );
}

/** The steps before a launch: what the mission is for, who works on it, and where. */
export function NewMissionPage() {
  const me = useQuery(meQuery);
  const templates = useQuery(templatesQuery);
  const manages = useMay()("missions.manage");
  return (
    <PageFrame crumbs={[{ label: "Missions", to: "/missions" }, { label: "New mission" }]}>
      <div className="flex items-center gap-1">
        <h1 className="text-head-1">New mission</h1>
        <Help word="mission" />
      </div>
      {!me.data && <Loading what="the form" rows={6} />}
      {me.data && !manages && <MissingRight what="create missions" least="member" />}
      {me.data && manages && (
        <QueryView query={templates} what="team templates" rows={8}>
          {(all) => <Form person={me.data.user.id} templates={all} />}
        </QueryView>
      )}
    </PageFrame>
  );
}
