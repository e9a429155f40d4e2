import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useMay } from "~/api/may";
import { asProblem } from "~/api/problem";
import { sandboxQuery } from "~/api/sandboxes";
import type { Claw, Sandbox } from "~/api/types";
import { agentStates, useAgentWord } from "~/ui/agent-state";
import { buttonClass } from "~/ui/button";
import { cx } from "~/ui/class";
import { Empty } from "~/ui/empty";
import type { FilesChoice, FilesChosen } from "~/ui/files-choice";
import { GiveWorkButton } from "~/ui/goal-draft";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { SandboxLine } from "~/ui/sandbox-line";
import type { Shown } from "~/ui/shown";
import { Loading } from "~/ui/skeleton";
import { Status } from "~/ui/status";
import { TabSet } from "~/ui/tabs";
import { AgentActions } from "./agent-actions";
import { AvatarImage } from "./avatar";
import { BrainTab } from "./brain/brain";
import { Overview } from "./overview";
import { clawQuery } from "./queries";

const route = getRouteApi("/shell/claws/$id");

/** What other domains know of the agent: what happened, its connected apps, its work, what it runs with, its sandbox and files, its level-ups. */
interface Elsewhere {
  activity: (claw: Claw, shown: Shown) => ReactNode;
  /** The newest lines of it. */
  latest: (claw: Claw) => ReactNode;
  apps: (claw: Claw) => ReactNode;
  runtime: (claw: Claw) => ReactNode;
  work: (claw: Claw) => ReactNode;
  sandbox: (claw: Claw, sandbox: Sandbox | undefined) => ReactNode;
  files: (claw: Claw, sandbox: Sandbox | undefined, chosen: FilesChosen) => ReactNode;
  levelUps: (claw: Claw, opened: string | undefined, onOpen: (id: string | undefined) => void) => ReactNode;
}

export function AgentPage(elsewhere: Elsewhere) {
  const { id } = route.useParams();
  const claw = useQuery(clawQuery(id));
  const may = useMay();
  const navigate = route.useNavigate();
  const name = claw.data?.name ?? "Agent";
  const missing = claw.isError && asProblem(claw.error).status === 404;
  return (
    <PageFrame
      wide
      crumbs={[{ label: "Agents", to: "/agents" }, { label: name }]}
      actions={
        claw.data && (
          <>
            {may("claws.write") && <AgentActions claw={claw.data} />}
            {may("runs.start") && !claw.data.deleted_at && (
              <GiveWorkButton onShow={() => void navigate({ search: { app: "work" }, replace: true })} />
            )}
          </>
        )
      }
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
      {claw.data && <Agent claw={claw.data} {...elsewhere} />}
    </PageFrame>
  );
}

/** Where the tabs of an address were before they got one name. */
const MOVED: Record<string, string> = { console: "sandbox", hardening: "sandbox", details: "overview" };
const TABS = ["overview", "work", "sandbox", "files", "brain", "runtime", "level-ups", "activity", "apps"];

/** The tabs that are about the sandbox itself. */
const FACTS = ["overview", "sandbox"];

/** Which tab an address means; one that does not exist is the first. */
export function tabOf(app: string | undefined, tab: string | undefined): string {
  const wanted = app ?? MOVED[tab ?? ""] ?? tab;
  return TABS.find((one) => one === wanted) ?? "overview";
}

type Key = "app" | "tab" | "show" | "view" | "declined" | "snapshot" | "path" | "before" | "proposal";
type Choice = Partial<Record<Key, string | undefined>>;

/** An address holds what was chosen and nothing else. */
const chosen = (choice: Choice) =>
  Object.fromEntries(Object.entries(choice).filter(([, value]) => value)) as Record<string, string>;

function Agent({
  claw,
  apps,
  runtime,
  work,
  sandbox: sandboxTab,
  files,
  activity,
  latest,
  levelUps,
}: Elsewhere & { claw: Claw }) {
  const { app, tab, show, view, snapshot, path, before, proposal } = route.useSearch();
  const navigate = route.useNavigate();
  const sandbox = useQuery(sandboxQuery({ kind: "claw", id: claw.id }));
  const may = useMay();
  const state = agentStates[useAgentWord()(claw)];
  const live = sandbox.data ?? undefined;
  // What was chosen in one tab is still chosen when somebody comes back to it.
  const choose = (change: Choice) =>
    void navigate({
      search: (now) => chosen({ ...now, tab: undefined, declined: undefined, ...change }),
      replace: true,
    });
  // Each file and snapshot is a step of the browser's history.
  const chooseFiles = (change: FilesChoice) =>
    void navigate({ search: (now) => chosen({ ...now, app: "files", ...change }) });
  return (
    <>
      <header className="z-10 -mx-1 bg-canvas px-1 py-1 sm:sticky sm:top-10">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <AvatarImage claw={claw} className="size-8" />
          <h1 className="min-w-0 text-head-1 break-words">{claw.name}</h1>
          <Status {...state} />
          {claw.role && <p className="min-w-0 text-fg-2">{claw.role}</p>}
        </div>
      </header>
      {sandbox.isPending && (
        <Loading
          what="the sandbox"
          rows={2}
          className="rounded-panel border border-line bg-surface xl:h-[58px] xl:overflow-hidden"
        />
      )}
      {sandbox.isError && !live && (
        <Failed error={sandbox.error} retry={() => void sandbox.refetch()} className="" />
      )}
      {/* On a phone the tabs would begin below the first half of the screen. */}
      {live && (
        <div className={cx(!FACTS.includes(tabOf(app, tab)) && "max-sm:hidden")}>
          <SandboxLine sandbox={live} />
        </div>
      )}
      <TabSet
        value={tabOf(app, tab)}
        onChange={(next) => choose({ app: next === "overview" ? undefined : next })}
        items={[
          {
            id: "overview",
            label: "Overview",
            content: <Overview claw={claw} sandbox={live} latest={latest(claw)} />,
          },
          { id: "work", label: "Work", content: work(claw) },
          {
            id: "sandbox",
            label: "Sandbox",
            content: sandbox.isSuccess && sandboxTab(claw, live),
          },
          {
            id: "files",
            label: "Files",
            content: files(claw, live, { choice: { snapshot, path, before }, onChoose: chooseFiles }),
          },
          {
            id: "brain",
            label: "Brain",
            content: (
              <BrainTab
                id={claw.id}
                mayWrite={may("claws.write") && !claw.deleted_at}
                view={view}
                onView={(next) => choose({ app: "brain", view: next })}
              />
            ),
          },
          { id: "runtime", label: "Runtime", content: runtime(claw) },
          {
            id: "level-ups",
            label: "Level-ups",
            // Each proposal is a step of the browser's history.
            content: levelUps(
              claw,
              proposal,
              (next) =>
                void navigate({ search: (now) => chosen({ ...now, app: "level-ups", proposal: next }) }),
            ),
          },
          {
            id: "activity",
            label: "Activity",
            content: activity(claw, {
              show,
              onShow: (next) => choose({ app: "activity", show: next }),
            }),
          },
          { id: "apps", label: "Apps", content: apps(claw) },
        ]}
      />
    </>
  );
}
