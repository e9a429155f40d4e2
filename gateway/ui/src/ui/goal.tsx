import { useNavigate } from "@tanstack/react-router";
import { Play } from "lucide-react";
import {
  lazy,
  Suspense,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type SubmitEvent,
} from "react";
import { asProblem } from "~/api/problem";
import type { RunRepo } from "~/api/repos";
import type { NewRun, RunSummary } from "~/api/runs";
import type { Upload } from "~/api/uploads";
import { Button } from "./button";
import { microusdOf, sumMistake } from "./dollars";
import { Area } from "./field";
import { useKeyedMutation } from "./keyed-mutation";
import { isPace, limitsOf, noPace } from "./pace";
import { Panel } from "./panel";
import { ProblemNote } from "./problem";
import { RepoChoice } from "./repo-choice";
import type { Options } from "./run-options";

// Most runs have no uploaded files, so the page does not wait for this part.
const RunOptions = lazy(() => import("./run-options"));
const UploadChoice = lazy(() => import("./upload/upload-choice"));

interface Props {
  /** Before the goal: who works, where that is a choice. */
  lead?: ReactNode;
  /** Below the goal: what follows from it. */
  below?: ReactNode;
  /** Learns the goal and the repository as they are typed and chosen. */
  onInput?: (goal: string, repo: RunRepo | undefined) => void;
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

export function GoalForm({ lead, below, onInput, own, start }: Props) {
  const [text, setText] = useState("");
  const [options, setOptions] = useState<Options>({ model: "", most: "", ...noPace });
  // Undefined while nobody chose, so that another own repository takes its place.
  const [chosen, setRepo] = useState<RunRepo | null>();
  const repo = chosen === undefined ? own : (chosen ?? undefined);
  const [upload, setUpload] = useState<Upload>();
  const form = useRef<HTMLFormElement>(null);
  const navigate = useNavigate();
  const run = useKeyedMutation(start);
  const problem = run.isError ? asProblem(run.error) : undefined;
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
    if (begun) await navigate({ to: "/runs/$id", params: { id: begun.id } });
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
        onChange={(event) => {
          setText(event.target.value);
          onInput?.(event.target.value, repo);
        }}
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
          <UploadChoice upload={upload} onChange={setUpload} />
        </Suspense>
      )}
      <Suspense fallback={<div className="h-13" />}>
        <RunOptions value={options} onChange={setOptions} problem={problem} />
      </Suspense>
      {problem && problem.fields.length === 0 && <ProblemNote problem={problem} />}
      <Button
        type="submit"
        look="primary"
        className="self-start"
        busy={run.isPending}
        disabled={text.trim() === "" || sumMistake(options.most) !== undefined || !isPace(options)}
        icon={<Play size={14} aria-hidden />}
      >
        Run
      </Button>
    </form>
  );
}
