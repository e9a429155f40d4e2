// The box on Home in which one gives work: to a team, or to one agent.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useDeferredValue, useMemo, useState } from "react";
import { clawsQuery } from "~/api/claws";
import { startAgent, startRun } from "~/api/runs";
import { repoChoicesQuery } from "~/api/repos";
import { teamsQuery, templatesQuery } from "~/api/teams";
import { Button, buttonClass } from "~/ui/button";
import { apart } from "~/ui/apart";
import { textLink } from "~/ui/class";
import { Choice } from "~/ui/field";
import { Modal } from "~/ui/dialog";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { visible } from "~/ui/visible";
import { WorkLacks } from "~/ui/work-lacks";
import { propose } from "./propose";
import { ownRepo, type Worker, whoIs, workers } from "./workers";
import { recentQuery } from "./queries";

const GoalForm = lazy(async () => ({ default: (await import("~/ui/goal")).GoalForm }));

export default function GiveWork({ onClose }: { onClose: () => void }) {
  const teams = useQuery(teamsQuery);
  const agents = useQuery(clawsQuery);
  const runs = useQuery(recentQuery);
  const [chosen, setChosen] = useState<string>();
  const failed = [teams, agents].find((query) => query.isError && !query.data);
  const all = teams.data && agents.data && workers(teams.data, agents.data);
  const who = all && whoIs(all, chosen, runs.data?.[0]);
  return (
    <Modal
      open
      wide
      onClose={onClose}
      title="Give work"
      lead="A team or a single agent works on the goal. The run opens when it has begun."
    >
      {failed && <Failed error={failed.error} retry={() => void failed.refetch()} className="" />}
      {!failed && !all && <Loading what="who can work" rows={6} />}
      {all && !who && (
        <p>
          There is no team and no agent yet.{" "}
          <Link to="/teams/new" className={textLink}>
            Create a team
          </Link>
        </p>
      )}
      {all && who && <Work all={all} who={who} onChoose={setChosen} />}
    </Modal>
  );
}

interface ProposalsProps {
  all: readonly Worker[];
  chosen: string;
  goal: string;
  repo: string | null | undefined;
  onChoose: (key: string) => void;
}

const KINDS = { team: "Team", agent: "Single agent", template: "Template" } as const;

/** Who fits the goal, and why. One click chooses. */
function Proposals({ all, chosen, goal, repo, onChoose }: ProposalsProps) {
  const templates = useQuery(templatesQuery).data;
  const runs = useQuery(recentQuery).data;
  const repos = useQuery(repoChoicesQuery).data;
  const language = repos?.find(({ id }) => id === repo)?.language ?? undefined;
  const found = useMemo(
    () => propose(goal, { workers: all, templates: templates ?? [], runs: runs ?? [], language }),
    [goal, all, templates, runs, language],
  );
  if (found.length === 0) return null;
  return (
    <section aria-label="Who fits" className="rounded-panel border border-line">
      <h3 className="border-b border-line px-3 py-2 text-small text-fg-2">Who fits</h3>
      <ul className="divide-y divide-line">
        {found.map(({ kind, id, key, name, reasons }) => (
          <li key={`${kind}:${id}`} className="flex items-start justify-between gap-3 px-3 py-2">
            <div className="min-w-0">
              <p className="truncate">
                <bdi className="font-[550]">{visible(name)}</bdi>{" "}
                <span className="text-small text-fg-3">{KINDS[kind]}</span>
              </p>
              <p className="text-small break-words text-fg-2">{visible(reasons.join(" "))}</p>
            </div>
            {key === undefined ? (
              <Link to="/teams/new" search={{ template: id }} className={buttonClass()}>
                Create a team<span className="sr-only"> from {visible(name)}</span>
              </Link>
            ) : (
              <Button disabled={key === chosen} onClick={() => onChoose(key)}>
                {key === chosen ? "Chosen" : "Choose"}
                <span className="sr-only"> {visible(name)}</span>
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

interface WorkProps {
  all: readonly Worker[];
  who: Worker;
  onChoose: (key: string) => void;
}

function Work({ all, who, onChoose }: WorkProps) {
  const group = (kind: "team" | "agent") => all.filter((one) => one.kind === kind);
  const names = apart(all.map(({ key, name }) => [key, visible(name)] as const));
  const option = ({ key }: (typeof all)[number]) => (
    <option key={key} value={key}>
      {names.get(key)}
    </option>
  );
  const [goal, setGoal] = useState<{ text: string; repo?: string | null | undefined }>({ text: "" });
  const text = useDeferredValue(goal.text);
  return (
    <Suspense fallback={<Loading what="the form" rows={6} />}>
      <GoalForm
        own={ownRepo(who)}
        onInput={(next, repo) => setGoal({ text: next, repo: repo?.repo_id })}
        below={<Proposals all={all} chosen={who.key} goal={text} repo={goal.repo} onChoose={onChoose} />}
        start={(body, key) =>
          who.kind === "team" ? startRun(who.id, body, key) : startAgent(who.id, body, key)
        }
        lead={
          <>
            <Choice
              label="Who works"
              className="sm:max-w-80"
              value={who.key}
              onChange={(event) => onChoose(event.target.value)}
            >
              {group("team").length > 0 && <optgroup label="Teams">{group("team").map(option)}</optgroup>}
              {group("agent").length > 0 && (
                <optgroup label="Single agents">{group("agent").map(option)}</optgroup>
              )}
            </Choice>
            <WorkLacks who={who.kind === "team" ? who.team : who.agent} />
          </>
        }
      />
    </Suspense>
  );
}
