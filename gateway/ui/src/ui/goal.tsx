import { useNavigate } from "@tanstack/react-router";
import { Play } from "lucide-react";
import {
  Suspense,
  useEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type SubmitEvent,
} from "react";
import { asProblem } from "~/api/problem";
import type { RunRepo } from "~/api/repos";
import type { NewRun, RunSummary } from "~/api/runs";
import type { Team } from "~/api/teams";
import type { Claw } from "~/api/types";
import type { Upload } from "~/api/uploads";
import { later } from "~/live/arriving";
import { Button } from "./button";
import { microusdOf, sumMistake } from "./dollars";
import { LeaveGuard } from "./leave-guard";
import { Area } from "./field";
import { useGoalAsked, useGoalDrafts, type GoalPlace } from "./goal-draft";
import { useKeyedMutation } from "./keyed-mutation";
import { isPace, limitsOf, noPace } from "./pace";
import { Panel } from "./panel";
import { ProblemNote } from "./problem";
import { RepoChoice } from "./repo-choice";
import type { Options } from "./run-options";

// Most runs have no uploaded files, so the page does not wait for this part.
const RunOptions = later(async () => (await import("./run-options")).default);
const UploadChoice = later(async () => (await import("./upload/upload-choice")).default);

interface Props {
  /** Who works; absent for a new team, whose agents use the workspace's own model. */
  who?: Team | Claw | undefined;
  /** Where the tab keeps the goal until its run has begun. */
  place: GoalPlace;
  /** What the button does, where that is more than to start a run. */
  action?: string | undefined;
  /** Before the goal: who works, where that is a choice. */
  lead?: ReactNode;
  /** Below the goal: what follows from it. */
  below?: ReactNode;
  /** Learns the goal and the repository as they are typed and chosen. */
  onInput?: (goal: string, repo: RunRepo | undefined) => void;
  /** Learns whether there are uploaded files: the tab does not keep them. */
  onFiles?: (has: boolean) => void;
  /** The repository of those who work, which the form begins with. */
  own?: RunRepo | undefined;
  start: (body: NewRun, key: string) => Promise<RunSummary>;
}

/** What a team or an agent is to do next. A started run opens. */
export function Goal({ title, ...form }: Props & { title: string }) {
  return (
    <Panel title={title}>
      <div className="px-4 py-3">
        <GoalForm {...form} />
      </div>
    </Panel>
  );
}

export function GoalForm({ who, place, action = "Run", lead, below, onInput, onFiles, own, start }: Props) {
  const drafts = useGoalDrafts();
  const [text, setText] = useState(() => drafts.read(place));
  const [options, setOptions] = useState<Options>({ model: "", most: "", ...noPace });
  // Undefined while nobody chose, so that another own repository takes its place.
  const [chosen, setRepo] = useState<RunRepo | null>();
  const repo = chosen === undefined ? own : (chosen ?? undefined);
  const [upload, setUpload] = useState<Upload>();
  const form = useRef<HTMLFormElement>(null);
  const navigate = useNavigate();
  const run = useKeyedMutation(start);
  const problem = run.isError ? asProblem(run.error) : undefined;
  const write = (next: string) => {
    setText(next);
    drafts.write(place, next);
    onInput?.(next, repo);
  };
  useEffect(() => {
    // A goal that was kept is an input as well.
    if (text !== "") onInput?.(text, repo);
    // oxlint-disable-next-line react/exhaustive-deps, react/exhaustive-effect-dependencies
  }, []);
  const { asked } = useGoalAsked();
  useEffect(() => {
    if (!asked) return;
    useGoalAsked.setState({ asked: false });
    form.current?.querySelector("textarea")?.focus();
  }, [asked]);
  const unsent = text.trim() !== "" && !run.isSuccess;
  // The tab keeps the goal for other pages. It is lost only with the tab, so the browser asks then.
  useEffect(() => {
    if (!unsent) return;
    const ask = (event: Event) => event.preventDefault();
    window.addEventListener("beforeunload", ask);
    return () => window.removeEventListener("beforeunload", ask);
  }, [unsent]);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const ceiling = microusdOf(options.most);
    const body = {
      input: text.trim(),
      ...(options.model && { model: options.model }),
      ...(ceiling !== undefined && { cost_ceiling_microusd: ceiling }),
      ...limitsOf(options),
      // Null: without a repository, although there is one of their own.
      ...(upload ? { repo: { upload_id: upload.id } } : (repo ?? own) && { repo: repo ?? null }),
    };
    const begun = await run.mutateAsync(body).catch(() => undefined);
    if (!begun) return;
    drafts.write(place, "");
    drafts.started(body.input);
    await navigate({ to: "/runs/$id", params: { id: begun.id } });
  };
  const sends = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
  };
  return (
    <form ref={form} onSubmit={(event) => void submit(event)} className="flex flex-col gap-3">
      {lead}
      <Area
        label="Goal"
        required
        maxLength={100_000}
        rows={3}
        value={text}
        onKeyDown={sends}
        onChange={(event) => write(event.target.value)}
        hint="The result that you want. Ctrl and Enter starts the run."
        error={problem?.field("/input")}
      />
      {below}
      {!upload && (
        <RepoChoice
          value={repo}
          onChange={(next) => {
            setRepo(next ?? null);
            onInput?.(text, next);
          }}
          problem={problem}
        />
      )}
      {!repo && (
        <Suspense>
          <UploadChoice
            upload={upload}
            onChange={(next) => {
              setUpload(next);
              onFiles?.(next !== undefined);
            }}
          />
        </Suspense>
      )}
      <Suspense
        fallback={<div className="h-13 max-sm:h-39 pointer-coarse:h-17 pointer-coarse:max-sm:h-51" />}
      >
        <RunOptions who={who} value={options} onChange={setOptions} problem={problem} />
      </Suspense>
      {problem && problem.fields.length === 0 && <ProblemNote problem={problem} />}
      <LeaveGuard
        dirty={upload !== undefined && !run.isPending && !run.isSuccess}
        title="Leave without starting the run?"
        consequence="This tab keeps the goal. It does not keep the uploaded files: upload them again when you come back."
      />
      <div className="flex flex-wrap items-center gap-2">
        <Button
          type="submit"
          look="primary"
          busy={run.isPending}
          disabled={text.trim() === "" || sumMistake(options.most) !== undefined || !isPace(options)}
          icon={<Play size={14} aria-hidden />}
        >
          {action}
        </Button>
        {text !== "" && !run.isPending && (
          <Button look="quiet" onClick={() => write("")}>
            Clear the goal
          </Button>
        )}
      </div>
    </form>
  );
}
