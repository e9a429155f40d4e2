import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useMemo } from "react";
import { useMay } from "~/api/may";
import type { Run, RunCall } from "~/api/runs";
import { keys } from "~/api/keys";
import { renew } from "~/live/renew";
import { MissingRight } from "~/ui/missing-right";
import { PageFrame } from "~/ui/page";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { isOver } from "~/ui/run-state";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { Topology } from "~/ui/topology/drawing";
import { kindName } from "~/ui/topology/place";
import { visible } from "~/ui/visible";
import { AgentPanel } from "./agent-panel";
import { Comparison } from "./comparison";
import { isKept } from "./forked";
import { useAgentsNow } from "./live";
import { Brief, CancelRun, Outcome, Summary } from "./outcome";
import { callsQuery, runQuery } from "./queries";
import { Steps } from "./steps";
import { Timeline } from "./timeline";
import { stepState } from "./words";

const route = getRouteApi("/shell/runs/$id");
const NO_CALLS: RunCall[] = [];

/** Names of nodes as the run's own topology has them. */
const namesOf = (run: Run) => new Map(run.graph.nodes.map((node) => [node.id, node.label || node.id]));

function stateOf(run: Run, node: string) {
  const steps = run.steps.filter((step) => step.node === node);
  const last = steps.at(-1);
  if (!last) {
    const word = isOver(run.status) ? "Not reached" : "Waits";
    return { tone: "idle" as const, word };
  }
  const laps = Math.max(...steps.map((step) => step.lap));
  return { ...stepState(last), note: laps > 1 ? `lap ${last.lap}` : undefined };
}

/** Whom somebody asked for in the drawing: its part of the page gets the focus. */
function showAgent(node: string) {
  const part = document.getElementById(`agent-${node}`);
  part?.scrollIntoView({ block: "center" });
  part?.focus();
}

function Agents({ run, calls, nameOf }: { run: Run; calls: RunCall[]; nameOf: (node: string) => string }) {
  const now = useAgentsNow(run);
  // Whoever has a run of its own is told of there.
  const begun = [...new Set(run.steps.filter((step) => !step.child_run_id).map((step) => step.node))].filter(
    (node) => !run.comparison || run.graph.nodes.some((one) => one.id === node && one.attributes?.agent),
  );
  const byStep = useMemo(() => {
    const nodes = new Map(run.steps.map((step) => [`${step.key}#${step.lap}`, step.node]));
    const found = new Map<string, RunCall[]>();
    for (const call of calls) {
      const node = nodes.get(`${call.step}#${call.lap}`);
      if (node !== undefined) found.set(node, [...(found.get(node) ?? []), call]);
    }
    return found;
  }, [run.steps, calls]);
  return begun.map((node) => {
    const steps = run.steps.filter((step) => step.node === node);
    const agent = steps.at(-1)?.agent_id;
    return (
      <AgentPanel
        key={node}
        node={node}
        name={nameOf(node)}
        steps={steps}
        calls={byStep.get(node) ?? NO_CALLS}
        now={agent ? now.get(agent) : undefined}
        keptFrom={steps.every((step) => isKept(run, step)) ? (run.forked_from ?? undefined) : undefined}
      />
    );
  });
}

function Whole({ run }: { run: Run }) {
  const calls = useQuery(callsQuery(run.id));
  const may = useMay();
  const names = useMemo(() => namesOf(run), [run]);
  const nameOf = (node: string) => names.get(node) ?? node;
  return (
    <>
      <Outcome run={run} />
      {run.comparison && <Comparison comparison={run.comparison} />}
      <Panel title="Topology" aside={run.comparison ? "side by side" : kindName(run.graph.kind)}>
        <Topology
          label="Who works with whom in this run"
          nodes={run.graph.nodes.map(({ id, label }) => ({ id, ...(label && { label }) }))}
          edges={run.graph.edges ?? []}
          layout={run.layout}
          stateOf={(node) => stateOf(run, node)}
          onChoose={showAgent}
        />
      </Panel>
      {calls.isError && !calls.data && (
        <Failed error={calls.error} retry={() => void calls.refetch()} className="" />
      )}
      <Stale query={calls} />
      <Agents run={run} calls={calls.data ?? NO_CALLS} nameOf={nameOf} />
      <Timeline run={run} calls={calls.data ?? NO_CALLS} nameOf={nameOf} />
      <Steps run={run} nameOf={nameOf} mayStart={may("runs.start")} />
      <Summary run={run} />
      {!may("runs.start") && <MissingRight what="start, cancel or fork runs" least="member" />}
    </>
  );
}

/** One run while it happens, and as it was. */
export function RunPage() {
  const { id } = route.useParams();
  const client = useQueryClient();
  const may = useMay();
  const run = useQuery(runQuery(id));
  const title = run.data ? visible(run.data.title) || "Run" : "…";
  return (
    <PageFrame
      crumbs={[{ label: "Runs", to: "/runs" }, { label: title }]}
      actions={
        run.data &&
        may("runs.start") && (
          <CancelRun run={run.data} onDone={() => void renew(client, { queryKey: keys.run(id) })} />
        )
      }
    >
      {run.isPending && <Loading what="the run" rows={6} />}
      {run.isError && !run.data && <Failed error={run.error} retry={() => void run.refetch()} className="" />}
      {run.data && (
        <>
          <h1 className="text-head-1 break-words">
            <bdi>{title}</bdi>
          </h1>
          <Brief run={run.data} />
          <Stale query={run} />
          <Whole key={id} run={run.data} />
        </>
      )}
    </PageFrame>
  );
}
