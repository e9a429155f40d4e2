import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { useMay } from "~/api/may";
import { nodeQuery } from "~/api/nodes";
import { asProblem } from "~/api/problem";
import type { Node, Paired } from "~/api/types";
import { buttonClass } from "~/ui/button";
import { Empty } from "~/ui/empty";
import { Notice } from "~/ui/notice";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import type { Shown } from "~/ui/shown";
import { Status } from "~/ui/status";
import { Ago } from "~/ui/time";
import { spanOf } from "../span-choice";
import { imageWords, nodeState } from "../words";
import { NodeActions } from "./actions";
import { AgentsHere } from "./agents-here";
import { Charts } from "./charts";
import { Draining } from "./draining";
import { Machine } from "./machine";
import { Pairing } from "./pairing";
import { Tools } from "./tools";
import { Verify } from "./verify";

const route = getRouteApi("/shell/fleet/$id");

/** What happened on the machine: another domain draws it. */
interface Elsewhere {
  activity: (id: string, shown: Shown) => ReactNode;
}

export function NodePage({ activity }: Elsewhere) {
  const { id } = route.useParams();
  const node = useQuery(nodeQuery(id));
  const may = useMay();
  // Kept here, because a new command is of a new entry, and so has a page of its own.
  const [paired, setPaired] = useState<Paired>();
  const missing = node.isError && asProblem(node.error).status === 404;
  return (
    <PageFrame
      wide
      crumbs={[{ label: "Fleet", to: "/fleet" }, { label: node.data?.name ?? "Machine" }]}
      actions={node.data && !missing && may("nodes.manage") && <NodeActions node={node.data} />}
    >
      {node.isPending && <Loading what="the machine" rows={4} />}
      {missing && (
        <Empty
          title="There is no such machine"
          action={
            <Link to="/fleet" className={buttonClass("primary")}>
              All machines
            </Link>
          }
        >
          It may have been removed, or belongs to another workspace.
        </Empty>
      )}
      {node.isError && !missing && !node.data && (
        <Failed error={node.error} retry={() => void node.refetch()} className="" />
      )}
      {/* Another machine is another page: nothing that was held or typed for one stays with the next. */}
      {node.data && !missing && (
        <Body
          key={node.data.id}
          node={node.data}
          paired={paired?.node.id === node.data.id ? paired : undefined}
          onPaired={setPaired}
          activity={activity}
        />
      )}
    </PageFrame>
  );
}

interface BodyProps extends Elsewhere {
  node: Node;
  paired: Paired | undefined;
  onPaired: (paired: Paired) => void;
}

function Body({ node, paired, onPaired, activity }: BodyProps) {
  const { span, show } = route.useSearch();
  const navigate = route.useNavigate();
  const choose = (change: { span?: string | undefined; show?: string | undefined }) =>
    void navigate({
      search: (now) =>
        Object.fromEntries(Object.entries({ ...now, ...change }).filter(([, value]) => value !== undefined)),
      replace: true,
    });
  const state = nodeState(node);
  const pending = node.status === "pending";
  const image = imageWords[node.image];
  return (
    <>
      <header className="z-10 -mx-1 flex flex-wrap items-center gap-x-3 gap-y-1 bg-canvas px-1 py-1 sm:sticky sm:top-10">
        <h1 className="min-w-0 text-head-1 break-words">{node.name}</h1>
        <Status tone={state.tone} word={state.word} />
        <span className="text-fg-3">
          {pending ? (
            state.why
          ) : (
            <>
              last heard <Ago at={node.last_seen_at} never="never" />
            </>
          )}
        </span>
        {node.labels.map((label) => (
          <Link
            key={label}
            to="/fleet"
            search={{ q: `label:${label}` }}
            className="rounded-control border border-line px-1.5 text-small text-fg-2 hover:border-line-strong"
          >
            {label}
          </Link>
        ))}
      </header>
      {node.problems.map((problem) => (
        <Notice key={problem.code} tone="warning">
          {problem.detail}
        </Notice>
      ))}
      {!pending && image.help && !node.problems.some((problem) => problem.code === "image") && (
        <Notice tone="warning">
          The agent image is {image.word.toLowerCase()}. {image.help}
        </Notice>
      )}
      {node.connection === "disconnected" && !pending && (
        <Notice>{state.why}. The values below are the last known ones.</Notice>
      )}
      {pending ? (
        <Pairing node={node} paired={paired} onPaired={onPaired} />
      ) : (
        <>
          {node.status === "draining" && <Draining node={node} />}
          <Charts
            node={node}
            span={spanOf(span)}
            onSpan={(next) => choose({ span: next === "1h" ? undefined : next })}
          />
          <div className="grid items-start gap-4 xl:grid-cols-[3fr_2fr]">
            <div className="flex min-w-0 flex-col gap-4">
              <AgentsHere node={node} />
              <Verify node={node} />
            </div>
            <div className="flex min-w-0 flex-col gap-4">
              <Machine node={node} />
              <Tools node={node} />
            </div>
          </div>
          {activity(node.id, { show, onShow: (next) => choose({ show: next }) })}
        </>
      )}
    </>
  );
}
