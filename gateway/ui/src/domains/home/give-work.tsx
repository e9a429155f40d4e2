// The box on Home in which one gives work: to a team, or to one agent.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { lazy, Suspense, useState } from "react";
import { clawsQuery } from "~/api/claws";
import { type ModelBinding, modelsQuery } from "~/api/models";
import { startAgent, startRun } from "~/api/runs";
import { teamsQuery } from "~/api/teams";
import { textLink } from "~/ui/class";
import { Choice } from "~/ui/field";
import { Modal } from "~/ui/dialog";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { visible } from "~/ui/visible";
import { lacksModel, ownRepo, type Worker, whoIs, workers } from "./workers";
import { recentQuery } from "./queries";

const GoalForm = lazy(async () => ({ default: (await import("~/ui/goal")).GoalForm }));

export default function GiveWork({ onClose }: { onClose: () => void }) {
  const teams = useQuery(teamsQuery);
  const agents = useQuery(clawsQuery);
  const models = useQuery(modelsQuery);
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
      {all && who && <Work all={all} who={who} onChoose={setChosen} models={models.data?.items} />}
    </Modal>
  );
}

interface WorkProps {
  all: readonly Worker[];
  who: Worker;
  onChoose: (key: string) => void;
  models: readonly ModelBinding[] | undefined;
}

function Work({ all, who, onChoose, models }: WorkProps) {
  const group = (kind: "team" | "agent") => all.filter((one) => one.kind === kind);
  const option = ({ key, name }: (typeof all)[number]) => (
    <option key={key} value={key}>
      {visible(name)}
    </option>
  );
  return (
    <Suspense fallback={<Loading what="the form" rows={6} />}>
      <GoalForm
        own={ownRepo(who)}
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
            {models && lacksModel(who, models) && (
              <p className="text-waiting">
                No model is set, so a script answers instead of a model.{" "}
                <Link to="/settings/models" className={textLink}>
                  Add a model
                </Link>
              </p>
            )}
          </>
        }
      />
    </Suspense>
  );
}
