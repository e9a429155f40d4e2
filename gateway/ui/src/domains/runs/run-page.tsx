import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { useMay } from "~/api/may";
import type { Run, RunCall } from "~/api/runs";
import { keys } from "~/api/keys";
import { renew } from "~/live/renew";
import { MissingRight } from "~/ui/missing-right";
import { Button } from "~/ui/button";
import { NarrowFold } from "~/ui/fold";
import { Notice } from "~/ui/notice";
import { PageFrame } from "~/ui/page";
import { isOver } from "~/ui/run-state";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { Topology } from "~/ui/topology/drawing";
import { kindName } from "~/ui/topology/kinds";
import { visible } from "~/ui/visible";
import { BackLink } from "~/ui/back-link";
import { AgentPanel } from "./agent-panel";
import { ChangedFiles, type DrawChanges } from "./changed-part";
import { Comparison } from "./comparison";
import { useFollowWork } from "./follow-work";
import { isKept } from "./fork-history";
import { useAgentsNow, useChildrenMoves } from "./live";
import { leftOut, leftOutWords } from "./journal";
import { Messages } from "./messages";
import { Outcome, Summary, Verdict } from "./outcome";
import { firstPanels, namesOf, panelsOf, stateOf, wayOf } from "./nodes";
import { callsQuery, runQuery } from "./queries";
import { Repository } from "./repository";
import { RunHead } from "./run-head";
import { Steps } from "./steps";
import { useTeamGone } from "./team";
import { Timeline } from "./timeline";
import { entryId } from "./transcript";
import { stepName } from "./words";
import { workingNode } from "./words-live";

const route = getRouteApi("/shell/runs/$id");
const NO_CALLS: RunCall[] = [];

/** Whom somebody asked for in the drawing: its part of the page gets the focus, and is marked while it has it. */
function showAgent(node: string, entry?: string) {
  const part = document.getElementById(`agent-${node}`);
  // On a phone, it is folded.
  part?.closest("details")?.setAttribute("open", "");
  part?.scrollIntoView({ block: "center" });
  const line = entry === undefined ? undefined : part?.querySelector<HTMLElement>("[data-at]");
  const box = line?.closest("[data-stream]");
  if (!line || !box) return part?.focus();
  box.scrollTop += line.getBoundingClientRect().top - box.getBoundingClientRect().top;
  line.focus({ preventScroll: true });
}

/** The agent that somebody asked for, and which entry of it: its id, or how the ids of its step begin. */
interface Reached {
  node: string;
  entry?: string;
}

interface AgentsProps {
  run: Run;
  calls: RunCall[];
  asking: boolean;
  nameOf: (node: string) => string;
  reached: Reached | undefined;
  /** Every agent, and not only the first ones. */
  all: boolean;
  onAll: () => void;
  stops: boolean;
  onLeft: () => void;
}

function Agents({ run, stops, calls, asking, nameOf, reached, all, onAll, onLeft }: AgentsProps) {
  const now = useAgentsNow(run);
  const begun = panelsOf(run);
  const byStep = useMemo(() => {
    const nodes = new Map(run.steps.map((step) => [`${step.key}#${step.lap}`, step.node]));
    const found = new Map<string, RunCall[]>();
    for (const call of calls) {
      const node = nodes.get(`${call.step}#${call.lap}`);
      if (node !== undefined) found.set(node, [...(found.get(node) ?? []), call]);
    }
    return found;
  }, [run.steps, calls]);
  const shown = all ? begun : firstPanels(run, begun);
  const more = begun.length - shown.length;
  const panels = shown.map((node) => {
    const steps = run.steps.filter((step) => step.node === node);
    const agent = steps.at(-1)?.agent_id;
    return (
      <AgentPanel
        key={node}
        run={run.id}
        stops={stops && !isOver(run.status) && !run.cancelling}
        node={node}
        name={nameOf(node)}
        steps={steps}
        calls={byStep.get(node) ?? NO_CALLS}
        asking={asking}
        now={agent ? now.get(agent) : undefined}
        reached={reached?.node === node}
        entry={reached?.node === node ? reached.entry : undefined}
        onLeft={onLeft}
        keptFrom={steps.every((step) => isKept(run, step)) ? (run.forked_from ?? undefined) : undefined}
      />
    );
  });
  return (
    <>
      {panels}
      {more > 0 && (
        <div>
          <Button onClick={onAll}>
            Show {more} more {more === 1 ? "agent" : "agents"}
          </Button>
        </div>
      )}
    </>
  );
}

interface RunProps {
  /** What a run without a repository changed in its sandboxes. */
  changes: DrawChanges;
}

function Whole({ run, title, changes }: RunProps & { run: Run; title: string }) {
  const client = useQueryClient();
  const calls = useQuery(callsQuery(run.id));
  const may = useMay();
  const teamGone = useTeamGone(run);
  const follow = useFollowWork(isOver(run.status) ? undefined : workingNode(run));
  useChildrenMoves(run);
  const names = useMemo(() => namesOf(run), [run]);
  const nameOf = (node: string) => names.get(node) ?? node;
  const [reached, setReached] = useState<Reached>();
  const reach = (node: string, entry?: string) => {
    setAll(true);
    setReached({ node, ...(entry !== undefined && { entry }) });
  };
  // After its part is on the page.
  useEffect(() => {
    if (reached !== undefined) showAgent(reached.node, reached.entry);
  }, [reached]);
  // A link from elsewhere may lead to the agent of one step, whose part is here only now.
  const [asked] = useState(() => /^#agent-(.+)$/.exec(decodeURIComponent(window.location.hash))?.[1]);
  // What agents did is read first while they work, and after the result when they have ended.
  const [all, setAll] = useState(!isOver(run.status) || asked !== undefined);
  useEffect(() => {
    if (asked !== undefined) showAgent(asked);
  }, [asked]);
  const over = isOver(run.status);
  const items = calls.data?.items ?? NO_CALLS;
  const missing = calls.data && leftOutWords(leftOut(calls.data));
  // While the run works, who works now is read first. Afterwards that is the result. Each keeps its key, so it is moved and
  // not drawn anew when the run ends.
  const result = [<Outcome key="result" run={run} />, <Verdict key="outcome" run={run} />];
  const compared = run.comparison && <Comparison key="compared" run={run} comparison={run.comparison} />;
  const timeline = (
    <Timeline
      key="timeline"
      run={run}
      calls={items}
      nameOf={nameOf}
      onStep={(step, call) => reach(step.node, call ? entryId(call) : `${stepName(step)}.`)}
    />
  );
  return (
    <>
      <RunHead
        run={run}
        title={title}
        mayStart={may("runs.start")}
        teamGone={teamGone}
        nameOf={nameOf}
        following={follow.following}
        onFollow={follow.toggle}
        onCancelled={() => void renew(client, { queryKey: keys.run(run.id) })}
      />
      {over ? [...result, compared, timeline] : [timeline, compared, ...result]}
      {run.repo_run_id ? (
        <Repository run={run.repo_run_id} ended={over} />
      ) : (
        <ChangedFiles run={run} draw={changes} />
      )}
      <Messages run={run} nameOf={nameOf} mayStart={may("runs.start")} />
      <NarrowFold
        id="topology"
        opened={!isOver(run.status)}
        title="Topology"
        summary={run.comparison ? "side by side" : kindName(run.graph.kind)}
        aside={run.comparison ? "side by side" : kindName(run.graph.kind)}
      >
        <Topology
          label="Who works with whom in this run"
          kind={run.graph.kind}
          nodes={run.graph.nodes.map(({ id, label }) => ({ id, ...(label && { label }) }))}
          edges={run.graph.edges ?? []}
          layout={run.layout}
          stateOf={(node) => stateOf(run, node)}
          wayOf={(node) => wayOf(run, node, (one) => reach(one))}
        />
      </NarrowFold>
      {calls.isError && !calls.data && (
        <Failed error={calls.error} retry={() => void calls.refetch()} className="" />
      )}
      <Stale query={calls} />
      {missing && <Notice>{missing}</Notice>}
      <Agents
        run={run}
        stops={may("runs.start")}
        calls={items}
        asking={calls.isFetching}
        nameOf={nameOf}
        reached={reached}
        all={all}
        onAll={() => setAll(true)}
        onLeft={() => setReached(undefined)}
      />
      <Steps run={run} nameOf={nameOf} mayStart={may("runs.start")} teamGone={teamGone} />
      <Summary run={run} teamGone={teamGone} />
      {!may("runs.start") && <MissingRight what="start, cancel or fork runs" least="member" />}
    </>
  );
}

/** One run while it happens, and as it was. */
export function RunPage({ changes }: RunProps) {
  const { id } = route.useParams();
  const run = useQuery(runQuery(id));
  const title = run.data ? visible(run.data.title) || "Run" : "…";
  return (
    <PageFrame wide crumbs={[{ label: "Runs", to: "/runs" }, { label: title }]}>
      {run.isPending && <Loading what="the run" rows={6} />}
      {run.isError && !run.data && (
        <Failed
          error={run.error}
          retry={() => void run.refetch()}
          gone={<BackLink to="/runs">All runs</BackLink>}
          className=""
        />
      )}
      {run.data && (
        <>
          <Stale query={run} />
          <Whole key={id} run={run.data} title={title} changes={changes} />
        </>
      )}
    </PageFrame>
  );
}
