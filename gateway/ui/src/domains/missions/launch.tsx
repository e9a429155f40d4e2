// What a launch would do, before it does it.
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { OctagonAlert, Pencil, Rocket } from "lucide-react";
import { useState } from "react";
import { useMay } from "~/api/may";
import { meQuery } from "~/api/me";
import type { LaunchPlan, MissionDetail } from "~/api/missions";
import { asProblem } from "~/api/problem";
import { Button } from "~/ui/button";
import { textLink } from "~/ui/class";
import { DataTable, type Column } from "~/ui/data-table";
import { Tick } from "~/ui/field";
import { Sentence } from "~/ui/lacks";
import { MissingRight } from "~/ui/missing-right";
import { Facts, Panel } from "~/ui/panel";
import { ProblemNote } from "~/ui/problem";
import { QueryView } from "~/ui/query-view";
import { imageName } from "~/ui/template-words";
import { visible } from "~/ui/visible";
import { CostGuess } from "./cost-guess";
import { draftOf, storeDraft } from "./draft";
import { planQuery, setStatus, useTake } from "./queries";
import { budgetWord } from "./table";
import { phaseName } from "./words";

type PlannedTeam = LaunchPlan["teams"][number];

const COLUMNS: Column<PlannedTeam>[] = [
  {
    name: "Team",
    show: ({ name, template_id }) => (
      <Link to="/templates/$id" params={{ id: template_id }} className={textLink}>
        <bdi>{visible(name)}</bdi>
      </Link>
    ),
  },
  { name: "For", cell: "whitespace-nowrap", show: ({ purpose }) => phaseName(purpose) },
  {
    name: "Agents",
    cell: "text-fg-2",
    show: ({ roles }) => (
      <>
        {roles.length}
        <span className="text-fg-3">: {visible(roles.join(", "))}</span>
      </>
    ),
  },
  {
    name: "Steps of a run",
    look: "text-right max-sm:hidden",
    cell: "whitespace-nowrap text-fg-2",
    show: ({ steps: { least, most } }) => (least === most ? `${least}` : `${least} to ${most}`),
  },
  {
    name: "Image",
    look: "max-md:hidden",
    cell: "text-fg-2",
    show: ({ image }) => visible(imageName(image)),
  },
];

function Blockers({ blockers }: { blockers: string[] }) {
  return (
    <div role="alert" className="flex gap-2.5 rounded-control border border-failed/50 bg-failed/8 px-3 py-2">
      <OctagonAlert size={16} aria-hidden className="mt-0.5 shrink-0 text-failed" />
      <div className="min-w-0">
        <p className="font-[550]">This mission cannot be launched now</p>
        <ul className="flex list-disc flex-col gap-1 pl-5">
          {blockers.map((text) => (
            <li key={text} className="break-words">
              <Sentence text={text} />
            </li>
          ))}
        </ul>
      </div>
    </div>
  );
}

function LacksOf({
  lacks,
  accepts,
  onAccept,
}: {
  lacks: string[];
  accepts: boolean;
  onAccept: (accepts: boolean) => void;
}) {
  return (
    <section
      aria-label="Missing here"
      className="flex flex-col gap-2 rounded-control border border-waiting/50 bg-waiting/8 px-3 py-2"
    >
      <p className="font-[550]">Something is missing for these teams</p>
      <ul className="flex list-disc flex-col gap-1 pl-5">
        {lacks.map((text) => (
          <li key={text} className="break-words">
            <Sentence text={text} />
          </li>
        ))}
      </ul>
      <Tick
        label="Launch all the same"
        hint="The agents then work without what is missing."
        checked={accepts}
        onChange={(event) => onAccept(event.target.checked)}
      />
    </section>
  );
}

/** The mission's own sandbox: its image, what scans in it, and what is missing. */
function Probes({ image, scanners, lacks }: NonNullable<LaunchPlan["probes"]>) {
  return (
    <>
      In the image {visible(image)}
      {scanners.length > 0 && <>, with {visible(scanners.join(", "))}</>}
      {lacks.map((text) => (
        <span key={text} className="block text-waiting">
          <Sentence text={text} />
        </span>
      ))}
    </>
  );
}

function Plan({ mission, plan }: { mission: MissionDetail; plan: LaunchPlan }) {
  const take = useTake();
  const [accepts, setAccepts] = useState(false);
  const launch = useMutation({
    mutationFn: () => setStatus(mission.id, "running", accepts),
    onSuccess: take,
  });
  const waits = plan.lacks.length > 0 && !accepts;
  return (
    <div className="flex flex-col gap-4 px-4 py-3">
      {plan.blockers.length > 0 && <Blockers blockers={plan.blockers} />}
      {plan.teams.length > 0 && (
        <div className="-mx-4 -mt-3 border-b border-line">
          <DataTable
            columns={COLUMNS}
            rows={plan.teams}
            keyOf={({ name, purpose }) => `${purpose} ${name}`}
            label="Teams that the launch creates"
          />
        </div>
      )}
      {plan.lacks.length > 0 && <LacksOf lacks={plan.lacks} accepts={accepts} onAccept={setAccepts} />}
      <div className="-mx-4 -my-3">
        <Facts
          items={[
            ["Teams", plan.teams.length],
            ["Agents", plan.agents],
            ["Where", <Sentence key="where" text={plan.place} />],
            [
              "Repository",
              mission.repo_full_name ? (
                <bdi key="repo">
                  {visible(mission.repo_full_name)}
                  {mission.base_ref && ` at ${visible(mission.base_ref)}`}
                </bdi>
              ) : (
                "none"
              ),
            ],
            ["Benchmarks and scans", plan.probes ? <Probes key="probes" {...plan.probes} /> : "none"],
            ["Model", visible(mission.model ?? "as each agent is set")],
            ["May cost", <CostGuess key="cost" mission={mission} />],
            ["Budget", budgetWord(mission.budget_usd)],
          ]}
        />
      </div>
      {launch.isError && <ProblemNote problem={asProblem(launch.error)} />}
      <div className="flex flex-wrap gap-2">
        <Button
          look="primary"
          icon={<Rocket size={14} aria-hidden />}
          busy={launch.isPending}
          disabled={plan.blockers.length > 0 || waits}
          onClick={() => launch.mutate()}
        >
          Launch
        </Button>
        <Change mission={mission} />
      </div>
      {waits && plan.blockers.length === 0 && (
        <p className="text-small text-fg-3">Accept what is missing, and you can launch.</p>
      )}
    </div>
  );
}

/** A mission cannot be changed, so a change cancels the draft and begins another one with the same values. */
function Change({ mission }: { mission: MissionDetail }) {
  const me = useQuery(meQuery);
  const navigate = useNavigate();
  const take = useTake();
  const change = useMutation({
    mutationFn: () => setStatus(mission.id, "cancelled"),
    onSuccess: async (cancelled) => {
      storeDraft(me.data?.user.id ?? "", draftOf(mission));
      await navigate({ to: "/missions/new" });
      take(cancelled);
    },
  });
  return (
    <>
      <Button
        icon={<Pencil size={14} aria-hidden />}
        busy={change.isPending}
        disabled={!me.data}
        onClick={() => change.mutate()}
        title="Cancels this draft, and begins another one with the same values"
      >
        Change
      </Button>
      {change.isError && <ProblemNote problem={asProblem(change.error)} />}
    </>
  );
}

/** The launch plan of a draft, and the button that launches it. */
export function Launch({ mission }: { mission: MissionDetail }) {
  const manages = useMay()("missions.manage");
  const plan = useQuery({ ...planQuery(mission.id), enabled: manages, refetchOnMount: "always" });
  if (!manages)
    return (
      <Panel title="Launch">
        <div className="px-4 py-3">
          <MissingRight what="launch missions" least="member" />
        </div>
      </Panel>
    );
  return (
    <Panel title="What a launch does" aside="Nothing is created before you launch.">
      <QueryView query={plan} what="the launch plan" rows={4}>
        {(found) => <Plan mission={mission} plan={found} />}
      </QueryView>
    </Panel>
  );
}
