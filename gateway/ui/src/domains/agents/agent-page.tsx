import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useMay } from "~/api/may";
import { asProblem } from "~/api/problem";
import type { Claw, Sandbox } from "~/api/types";
import { buttonClass } from "~/ui/button";
import { Empty } from "~/ui/empty";
import { HardeningTable } from "~/ui/hardening";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Status } from "~/ui/status";
import { TabSet } from "~/ui/tabs";
import { AgentActions } from "./agent-actions";
import { AvatarImage } from "./avatar";
import { BrainTab } from "./brain/brain";
import { Console } from "./console/console";
import { Details } from "./details";
import { clawQuery, sandboxQuery } from "./queries";
import { SandboxLine } from "./sandbox-line";
import { SandboxPlace } from "./sandbox-place";
import { useProvisioning } from "./use-provision";
import { clawStates, stateOf } from "./words";

const route = getRouteApi("/shell/claws/$id");

export function AgentPage() {
  const { id } = route.useParams();
  const claw = useQuery(clawQuery(id));
  const may = useMay();
  const name = claw.data?.name ?? "Agent";
  const missing = claw.isError && asProblem(claw.error).status === 404;
  return (
    <PageFrame
      crumbs={[{ label: "Agents", to: "/agents" }, { label: name }]}
      actions={claw.data && may("claws.write") && <AgentActions claw={claw.data} />}
    >
      {claw.isPending && <Loading what="the agent" rows={3} />}
      {missing && (
        <Empty
          title="There is no such agent"
          action={
            <Link to="/agents" className={buttonClass("primary")}>
              All agents
            </Link>
          }
        >
          It may have been deleted, or belongs to another workspace.
        </Empty>
      )}
      {claw.isError && !missing && !claw.data && (
        <Failed error={claw.error} retry={() => void claw.refetch()} className="" />
      )}
      {claw.data && <Agent claw={claw.data} />}
    </PageFrame>
  );
}

function Agent({ claw }: { claw: Claw }) {
  const { tab = "console" } = route.useSearch();
  const navigate = route.useNavigate();
  const sandbox = useQuery(sandboxQuery(claw.id));
  const making = useProvisioning(claw.id);
  const may = useMay();
  const state = stateOf(clawStates, claw.status);
  const live = sandbox.data ?? undefined;
  return (
    <>
      <header>
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <AvatarImage claw={claw} className="size-8" />
          <h1 className="text-head-1">{claw.name}</h1>
          <Status tone={state.tone} word={state.word} />
        </div>
        {claw.role && <p className="text-fg-2">{claw.role}</p>}
      </header>
      {sandbox.isPending && (
        <Loading what="the sandbox" rows={2} className="rounded-panel border border-line bg-surface" />
      )}
      {sandbox.isError && !live && (
        <Failed error={sandbox.error} retry={() => void sandbox.refetch()} className="" />
      )}
      {live && <SandboxLine sandbox={live} />}
      {sandbox.isSuccess && (!live || live.state === "lost") && (
        <SandboxPlace id={claw.id} lost={live} making={making} />
      )}
      {sandbox.isSuccess && (
        <TabSet
          value={tab}
          onChange={(next) =>
            void navigate({ search: next === "console" ? {} : { tab: next }, replace: true })
          }
          items={[
            ...(live
              ? [
                  {
                    id: "console",
                    label: "Console",
                    content: (
                      <Console agent={claw.id} usable={live.state === "running" && may("sandboxes.use")} />
                    ),
                  },
                ]
              : []),
            ...(live ? [{ id: "hardening", label: "Hardening", content: <Hardening sandbox={live} /> }] : []),
            {
              id: "brain",
              label: "Brain",
              content: <BrainTab id={claw.id} mayWrite={may("claws.write") && !claw.deleted_at} />,
            },
            {
              id: live ? "details" : "console",
              label: "Details",
              content: <Details claw={claw} sandbox={live} />,
            },
          ]}
        />
      )}
    </>
  );
}

function Hardening({ sandbox }: { sandbox: Sandbox }) {
  return (
    <section aria-label="Hardening report" className="rounded-panel border border-line bg-surface">
      {sandbox.hardening.length === 0 ? (
        <Empty title="No report yet">
          The report is made when the sandbox starts, by comparing each field of the container with what was
          asked for.
        </Empty>
      ) : (
        <HardeningTable facts={sandbox.hardening} caption={`Hardening of the sandbox of this agent`} />
      )}
    </section>
  );
}
