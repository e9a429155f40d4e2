// The box on Home in which one gives work: to a team, to one agent, or to a team that is created from a template first.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useMemo, useRef, useState } from "react";
import { clawsQuery } from "~/api/claws";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import { useMay } from "~/api/may";
import { startAgent, startRun, type NewRun } from "~/api/runs";
import { teamsQuery, templatesQuery, type Team, type TemplateBrief } from "~/api/teams";
import { apart } from "~/ui/apart";
import { textLink } from "~/ui/class";
import { Confirm, Modal } from "~/ui/dialog";
import { Choice } from "~/ui/field";
import { MissingRight } from "~/ui/missing-right";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { visible } from "~/ui/visible";
import { WorkLacks } from "~/ui/work-lacks";
import { FromTemplate } from "./from-template";
import { Proposals } from "./proposals";
import { recentQuery } from "./queries";
import { asChoices, ownRepo, whoIs, workers, type Choosable, type Worker } from "./workers";

const GoalForm = lazy(async () => ({ default: (await import("~/ui/goal")).GoalForm }));

const NONE: never[] = [];

export default function GiveWork({ onClose }: { onClose: () => void }) {
  const teams = useQuery(teamsQuery);
  const agents = useQuery(clawsQuery);
  const runs = useQuery(recentQuery);
  const creates = useMay()("teams.manage");
  const templates = useQuery({ ...templatesQuery, enabled: creates });
  const [chosen, setChosen] = useState<string>();
  const [files, setFiles] = useState(false);
  const [leaving, setLeaving] = useState(false);
  const failed = [teams, agents, templates].find((query) => query.isError && !query.data);
  const working = useMemo(
    () => teams.data && agents.data && workers(teams.data, agents.data),
    [teams.data, agents.data],
  );
  const ready = templates.data ?? (creates ? undefined : NONE);
  const all = useMemo<Choosable[] | undefined>(
    () => (working && ready ? [...working, ...asChoices(ready)] : undefined),
    [working, ready],
  );
  const who = all && whoIs(all, chosen, runs.data?.[0]);
  return (
    <Modal
      open
      wide
      onClose={() => (files ? setLeaving(true) : onClose())}
      title="Give work"
      lead="A team or a single agent works on the goal. The run opens when it has begun."
    >
      {failed && <Failed error={failed.error} retry={() => void failed.refetch()} className="" />}
      {!failed && !all && <Loading what="who can work" rows={6} />}
      {all && !who && <Nobody creates={creates} />}
      {working && ready && all && who && (
        <Work
          all={all}
          working={working}
          templates={ready}
          who={who}
          onChoose={setChosen}
          onFiles={setFiles}
        />
      )}
      <Confirm
        open={leaving}
        onClose={() => setLeaving(false)}
        title="Close without starting the run?"
        consequence="This tab keeps the goal. It does not keep the uploaded files: upload them again when you come back."
        action="Close"
        run={async () => onClose()}
      />
    </Modal>
  );
}

/** No team, no agent, and no template to create a team from. */
function Nobody({ creates }: { creates: boolean }) {
  if (!creates) return <MissingRight what="create the first team" least="member" />;
  return (
    <p>
      There is no team, no agent and no template yet.{" "}
      <Link to="/templates" className={textLink}>
        Templates
      </Link>
    </p>
  );
}

/** Starts the run. A team that was created for it is not created again when the start is tried again. */
function useStartWith(who: Choosable, onChoose: (key: string) => void) {
  const client = useQueryClient();
  const made = useRef(new Map<string, Team>());
  const teamOf = async (template: TemplateBrief, key: string) => {
    const before = made.current.get(template.id);
    if (before) return before;
    const team = await api.post("/api/teams", {
      body: { name: template.name.slice(0, 100), template_id: template.id },
      idempotencyKey: `${key}-team`,
    });
    made.current.set(template.id, team);
    return team;
  };
  return async (body: NewRun, key: string) => {
    if (who.kind === "agent") return startAgent(who.id, body, key);
    if (who.kind === "team") return startRun(who.id, body, key);
    const team = await teamOf(who.template, key);
    try {
      return await startRun(team.id, body, key);
    } catch (error) {
      // The team is there, so the next try is of the team.
      await client.invalidateQueries({ queryKey: keys.teams });
      onChoose(`team:${team.id}`);
      throw error;
    }
  };
}

interface WorkProps {
  all: readonly Choosable[];
  working: readonly Worker[];
  templates: readonly TemplateBrief[];
  who: Choosable;
  onChoose: (key: string) => void;
  onFiles: (has: boolean) => void;
}

const GROUPS = [
  ["team", "Teams"],
  ["agent", "Single agents"],
  ["template", "New team from a template"],
] as const;

function Who({ all, who, onChoose }: Pick<WorkProps, "all" | "who" | "onChoose">) {
  const names = useMemo(
    () =>
      apart(
        all.map(({ key, name, kind }) => [
          key,
          kind === "template" ? `New team: ${visible(name)}` : visible(name),
        ]),
      ),
    [all],
  );
  return (
    <>
      <Choice
        label="Who works"
        className="sm:max-w-80"
        value={who.key}
        onChange={(event) => onChoose(event.target.value)}
      >
        {GROUPS.map(
          ([kind, label]) =>
            all.some((one) => one.kind === kind) && (
              <optgroup key={kind} label={label}>
                {all
                  .filter((one) => one.kind === kind)
                  .map(({ key }) => (
                    <option key={key} value={key}>
                      {names.get(key)}
                    </option>
                  ))}
              </optgroup>
            ),
        )}
      </Choice>
      {who.kind === "template" && <FromTemplate template={who.template} />}
      {who.kind === "team" && <WorkLacks who={who.team} />}
      {who.kind === "agent" && <WorkLacks who={who.agent} />}
    </>
  );
}

function Work({ all, working, templates, who, onChoose, onFiles }: WorkProps) {
  const [goal, setGoal] = useState<{ text: string; repo?: string | null | undefined }>({ text: "" });
  const start = useStartWith(who, onChoose);
  // The list of all who could work is not drawn again for each letter.
  const lead = useMemo(() => <Who all={all} who={who} onChoose={onChoose} />, [all, who, onChoose]);
  const input = useCallback(
    (text: string, repo: { repo_id?: string | null } | undefined) => setGoal({ text, repo: repo?.repo_id }),
    [],
  );
  return (
    <Suspense fallback={<Loading what="the form" rows={6} />}>
      <GoalForm
        place="home"
        who={who.kind === "team" ? who.team : who.kind === "agent" ? who.agent : undefined}
        action={who.kind === "template" ? "Create team and run" : undefined}
        own={ownRepo(who)}
        onInput={input}
        onFiles={onFiles}
        below={
          <Proposals
            workers={working}
            templates={templates}
            chosen={who.key}
            goal={goal.text}
            repo={goal.repo}
            onChoose={onChoose}
          />
        }
        start={start}
        lead={lead}
      />
    </Suspense>
  );
}
