import { GuideLink } from "~/ui/guide-link";
// The first steps in a workspace. They tick themselves.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck, X } from "lucide-react";
import { useMay, type Verb } from "~/api/may";
import { modelsQuery } from "~/api/models";
import { repoChoicesQuery } from "~/api/repos";
import { teamsQuery } from "~/api/teams";
import { buttonClass, IconButton } from "~/ui/button";
import { cx } from "~/ui/class";
import { nextOf, ofDemonstration, stepsOf, type Step } from "./checklist";
import { OfferDemonstration } from "./demonstration/button";
import { dismiss, useDismissed } from "./dismissed";
import { Section } from "./part";
import { filesQuery, recentQuery } from "./queries";

/** The steps, and whether the list of them is to be shown. */
export function useStart(workspace: string) {
  const models = useQuery(modelsQuery);
  const repos = useQuery(repoChoicesQuery);
  const teams = useQuery(teamsQuery);
  const runs = useQuery(recentQuery);
  const known = repos.data?.filter((repo) => !repo.gone_at).length;
  const demonstrations = ofDemonstration(runs.data ?? [], teams.data ?? []);
  // The files of the demonstration are nobody's code.
  const newest = runs.data?.find(({ id }) => !demonstrations.has(id))?.id;
  const files = useQuery({
    ...filesQuery(newest ?? ""),
    enabled: newest !== undefined && known === 0,
  });
  const id = `start:${workspace}`;
  const hidden = useDismissed().has(id);
  const parts = [
    { what: "Models", query: models },
    { what: "Repositories", query: repos },
    { what: "Teams", query: teams },
    { what: "Runs", query: runs },
  ];
  const pending = parts.some(({ query }) => query.isPending);
  const failed = parts.filter(({ query }) => query.isError && query.data === undefined);
  const team = teams.data?.[0]?.id;
  const steps = stepsOf({
    models: models.data?.items.length ?? 0,
    demonstrated: demonstrations.size > 0,
    repos: known ?? 0,
    files: files.data !== undefined,
    team,
    runs: runs.data?.length ?? 0,
  });
  const open = steps.some(({ done }) => !done);
  return {
    steps,
    team,
    hide: () => dismiss(id),
    /** Where something is not known, nobody is told to begin anew. */
    shown: !pending && failed.length === 0 && open && !hidden,
    /** Nothing has run here yet: there is nothing else to show. */
    fresh: runs.data?.length === 0,
    /**
     * It is not known yet which of the two this page is. What has failed once is decided: a section that is shown asks
     * again, and must not be taken away by its own question.
     */
    undecided: !runs.isFetched || (runs.data?.length === 0 && parts.some(({ query }) => !query.isFetched)),
  };
}

const RIGHTS: Record<Step["id"], Verb> = {
  model: "models.manage",
  code: "repos.manage",
  team: "teams.manage",
  run: "runs.start",
};

function Way({ step, team, lead }: { step: Step; team: string | undefined; lead: boolean }) {
  const look = buttonClass(lead ? "primary" : "plain", "max-sm:w-full");
  if (!useMay()(RIGHTS[step.id])) return <span className="text-small text-fg-3">Needs another role</span>;
  switch (step.id) {
    case "model":
      return (
        <Link to="/settings/models" className={look}>
          Add a model
        </Link>
      );
    case "code":
      return (
        <Link to="/repos" className={look}>
          Connect a code host
        </Link>
      );
    case "team":
      return (
        <Link to="/teams/new" className={look}>
          Create a team
        </Link>
      );
    case "run":
      return team === undefined ? (
        <span className="text-small text-fg-3">Needs a team</span>
      ) : (
        <Link to="/teams/$id" params={{ id: team }} className={look}>
          Give a goal
        </Link>
      );
  }
}

const GUIDE_OF = {
  model: { to: "models", children: "your own models" },
  code: { to: "repository", children: "your own repository" },
  team: { to: "team", children: "teams and runs" },
  run: { to: "first", children: "your first result" },
} as const;

export function Start({ state }: { state: ReturnType<typeof useStart> }) {
  const { steps, team, hide, fresh } = state;
  const next = nextOf(steps);
  const done = steps.filter((step) => step.done).length;
  return (
    <Section
      title="First steps"
      aside={
        <>
          <span className="tabular-nums">
            {done} of {steps.length} done
          </span>
          <IconButton label="Hide the first steps" onClick={hide}>
            <X size={14} aria-hidden />
          </IconButton>
        </>
      }
    >
      {fresh && <OfferDemonstration />}
      <ol>
        {steps.map((step, index) => (
          <li
            key={step.id}
            data-row
            className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-3.5 last:border-0"
          >
            {step.done ? (
              <CircleCheck size={20} aria-label="Done:" className="shrink-0 text-done" />
            ) : (
              <span
                aria-hidden
                className={cx(
                  "flex size-5 shrink-0 items-center justify-center rounded-full border text-micro",
                  step.id === next ? "border-accent text-accent" : "border-line-strong text-fg-3",
                )}
              >
                {index + 1}
              </span>
            )}
            <div className="min-w-0 flex-1 basis-52">
              <h3 className={cx("text-head-3", step.done && "text-fg-2")}>{step.title}</h3>
              <p className="text-fg-2">
                {step.why} {!step.done && <GuideLink {...GUIDE_OF[step.id]} />}
              </p>
            </div>
            {!step.done && <Way step={step} team={team} lead={step.id === next} />}
          </li>
        ))}
      </ol>
    </Section>
  );
}
