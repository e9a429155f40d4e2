// What the sandboxes of a comparison begin with.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { clawsQuery } from "~/api/claws";
import type { Problem } from "~/api/problem";
import type { RunSummary } from "~/api/runs";
import { teamsQuery } from "~/api/teams";
import { apart } from "~/ui/apart";
import { Button } from "~/ui/button";
import { Choice } from "~/ui/field";
import { visible } from "~/ui/visible";
import type { Draft, FilesFrom } from "./compare";
import { runQuery } from "./queries";
import { workQuery } from "./work";

interface Props {
  draft: Draft;
  problem: Problem | undefined;
  set: (more: Partial<Draft>) => void;
}

const short = (text: string) => visible(text).slice(0, 100);

/** The steps of the chosen run whose files are stored. */
function StepChoice({ draft, problem, set }: Props) {
  const run = useQuery({ ...runQuery(draft.run), enabled: draft.run !== "" });
  const steps = (run.data?.steps ?? []).filter(({ files, lap }) => lap === 1 && files?.began.snapshot_id);
  const isNone = run.isSuccess && steps.length === 0;
  return (
    <Choice
      label="Step"
      required
      hint={isNone ? "No step of this run has stored files." : "The files that it began with."}
      value={draft.step}
      error={problem?.field("/files/step")}
      onChange={(event) => set({ step: event.target.value })}
    >
      <option value="">Choose one</option>
      {steps.map(({ key }) => (
        <option key={key} value={key}>
          {short(key)}
        </option>
      ))}
    </Choice>
  );
}

/** The runs with who worked in each, so that a run of one agent is told apart from a team's. */
function RunChoice({ draft, problem, set }: Props) {
  const query = useInfiniteQuery(workQuery({}));
  const teams = useQuery(teamsQuery).data ?? [];
  const agents = useQuery(clawsQuery).data ?? [];
  const named = (all: readonly { id: string; name: string }[]) =>
    apart(all.map(({ id, name }) => [id, short(name)]));
  const names = new Map([...named(teams), ...named(agents)]);
  const runs = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const titled = (run: RunSummary) => {
    const [kind, id] = run.team_id ? ["team", run.team_id] : ["agent", run.agent_id];
    const title = short(run.title) || "untitled";
    return id ? `${title}, ${kind} ${names.get(id) ?? "that was deleted"}` : title;
  };
  return (
    <div>
      <Choice
        label="Run"
        required
        hint={query.hasNextPage ? `The newest ${runs.length} runs.` : undefined}
        value={draft.run}
        error={problem?.field("/files/run_id")}
        onChange={(event) => set({ run: event.target.value, step: "" })}
      >
        <option value="">Choose one</option>
        {[...apart(runs.map((run) => [run.id, titled(run)] as const))].map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Choice>
      {query.hasNextPage && (
        <Button className="mt-2" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Load older runs
        </Button>
      )}
    </div>
  );
}

export function CompareFiles(props: Props) {
  const { draft, problem, set } = props;
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <Choice
        label="Files to begin with"
        hint={
          draft.files === "own"
            ? "The candidates do not begin alike."
            : "The files that a sandbox has now are saved as a snapshot first."
        }
        value={draft.files}
        error={problem?.field("/files")}
        onChange={(event) => set({ files: event.target.value as FilesFrom })}
      >
        <option value="empty">No files for any candidate</option>
        <option value="step">The files of one step, for all candidates</option>
        <option value="own">What each sandbox has</option>
      </Choice>
      {draft.files === "step" && (
        <>
          <RunChoice {...props} />
          <StepChoice {...props} />
        </>
      )}
    </div>
  );
}
