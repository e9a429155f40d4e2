import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Plug, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { clawsQuery } from "~/api/claws";
import { useMay } from "~/api/may";
import type { AppConnection } from "~/api/types";
import { Button } from "~/ui/button";
import { Empty } from "~/ui/empty";
import { FilterField } from "~/ui/filter-field";
import { useLook } from "~/ui/list/look";
import { cleared } from "~/ui/list/saved";
import { Select } from "~/ui/list/select";
import { Views } from "~/ui/list/views";
import { MissingRight } from "~/ui/missing-right";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { useNow } from "~/ui/time";
import { ConnectAny } from "./connect-any";
import { ConnectionList, ORDERS, useShown } from "./connection-list";
import { connectionsQuery } from "./queries";
import { standingOf, standings } from "./words";

export { AgentApps } from "./agent-apps";

const route = getRouteApi("/shell/connections");

const BUILT = [{ name: "Needs attention", filters: { q: "needs attention" } }];
/** The rows are no table, so they have no headings to press. */
const SORTS = [
  { value: "", label: "Attention" },
  { value: "agent", label: "Agent" },
  { value: "app", label: "App" },
  { value: "-connected", label: "Newest" },
  { value: "connected", label: "Oldest" },
];

/** How many need attention, in the heading's line. */
function Need({ list }: { list: AppConnection[] }) {
  const now = useNow();
  const need = list.filter((one) => standings[standingOf(one, now)].rank < standings.unknown.rank).length;
  const silent = list.filter((one) => one.state === "unknown").length;
  return (
    <p role="status" className="text-fg-3">
      {need === 0 ? "none needs attention" : `${need} ${need === 1 ? "needs" : "need"} attention`}
      {silent > 0 && `, ${silent} not known`}
    </p>
  );
}

function Found({ list }: { list: AppConnection[] }) {
  const { asked, look, sorting } = useLook(route, ORDERS);
  const { q = "" } = asked;
  const claws = useQuery(clawsQuery);
  const may = useMay();
  const agents = useMemo(() => new Map((claws.data ?? []).map((claw) => [claw.id, claw])), [claws.data]);
  const shown = useShown(list, agents, q, sorting.by);
  const filter = (text: string) => look({ q: text });
  return (
    <>
      <Views list="connections" filters={cleared(asked)} built={BUILT} />
      <div className="flex flex-wrap items-center gap-2">
        <FilterField
          label="Filter by agent, app or state"
          className="sm:max-w-72"
          value={q}
          onChange={filter}
        />
        <Select label="Sort by" value={sorting.by} options={SORTS} onChange={sorting.onSort} />
      </div>
      {claws.isError && !claws.data && (
        <Failed error={claws.error} retry={() => void claws.refetch()} className="" />
      )}
      {claws.isPending && <Loading what="agents" rows={4} />}
      {claws.data && shown.length === 0 && (
        <Empty
          title="No connection fits the filter"
          action={<Button onClick={() => filter("")}>Clear filter</Button>}
        >
          {list.length} {list.length === 1 ? "connection is" : "connections are"} hidden by “{q}”.
        </Empty>
      )}
      {claws.data && shown.length > 0 && (
        <ConnectionList
          label="Connections"
          shown={shown}
          agents={agents}
          filter={q}
          by={sorting.by}
          mayConnect={may("apps.connect")}
        />
      )}
    </>
  );
}

/** All connections of the workspace, those first that need attention. */
export function ConnectionsPage() {
  const found = useQuery(connectionsQuery);
  const may = useMay();
  const [connecting, setConnecting] = useState(false);
  const connect = may("apps.connect") && (
    <Button look="primary" icon={<Plus size={14} aria-hidden />} onClick={() => setConnecting(true)}>
      Connect an app
    </Button>
  );
  return (
    <PageFrame
      wide
      crumbs={[{ label: "Integrations", to: "/connections" }, { label: "Apps and MCP servers" }]}
      actions={found.data && found.data.length > 0 && connect}
    >
      <header className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <h1 className="text-head-1">Apps and MCP servers</h1>
        {found.data && found.data.length > 0 && <Need list={found.data} />}
      </header>
      <Stale query={found} />
      {found.isPending && (
        <Loading what="connections" rows={4} className="rounded-panel border border-line bg-surface" />
      )}
      {found.isError && !found.data && (
        <Failed error={found.error} retry={() => void found.refetch()} className="" />
      )}
      {found.data?.length === 0 && (
        <Empty
          icon={<Plug size={32} strokeWidth={1.5} aria-hidden />}
          title="No agent is connected to anything"
          action={connect}
        >
          Agents reach nothing outside their sandboxes. An agent can be connected to a code host, a webhook or
          an MCP server.
        </Empty>
      )}
      {found.data && found.data.length > 0 && <Found list={found.data} />}
      {found.data && !may("apps.connect") && (
        <MissingRight what="connect apps or disconnect them" least="member" />
      )}
      {connecting && <ConnectAny list={found.data ?? []} onClose={() => setConnecting(false)} />}
    </PageFrame>
  );
}
