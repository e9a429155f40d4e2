import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Bot, Plus } from "lucide-react";
import { useMemo } from "react";
import { useMay } from "~/api/may";
import { Button } from "~/ui/button";
import { Empty } from "~/ui/empty";
import { FilterField } from "~/ui/filter-field";
import { MissingRight } from "~/ui/missing-right";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { AgentTable } from "./agent-table";
import { CreateDialog } from "./create-dialog";
import { clawsQuery } from "./queries";
import { words } from "./words";

const route = getRouteApi("/shell/agents");

export function AgentsPage() {
  const { q = "", dialog } = route.useSearch();
  const navigate = route.useNavigate();
  const claws = useQuery(clawsQuery);
  const may = useMay();
  const sorted = useMemo(
    () =>
      (claws.data ?? [])
        .filter((claw) => !claw.deleted_at)
        .toSorted(
          (a, b) => a.name.localeCompare(b.name, "en", { numeric: true }) || a.id.localeCompare(b.id),
        ),
    [claws.data],
  );
  const shown = useMemo(() => {
    const parts = q.toLowerCase().split(/\s+/).filter(Boolean);
    return sorted.filter((claw) =>
      parts.every((part) =>
        [claw.name, claw.role, claw.status, claw.sandbox?.node_name].some((text) =>
          text?.toLowerCase().includes(part),
        ),
      ),
    );
  }, [sorted, q]);
  const filter = (text: string) => void navigate({ search: text ? { q: text } : {}, replace: true });
  const create = (open: boolean) =>
    void navigate({
      search: (now) => ({ ...(now.q ? { q: now.q } : {}), ...(open ? { dialog: "new" } : {}) }),
    });
  const button = may("claws.write") && (
    <Button look="primary" icon={<Plus size={14} aria-hidden />} onClick={() => create(true)}>
      New agent
    </Button>
  );
  const none = claws.data !== undefined && sorted.length === 0;
  return (
    <PageFrame crumbs={[{ label: "Agents" }]} actions={none ? undefined : button}>
      <h1 className="text-head-1">Agents</h1>
      {claws.isPending && (
        <Loading what="agents" rows={4} className="rounded-panel border border-line bg-surface" />
      )}
      {claws.isError && !claws.data && (
        <Failed error={claws.error} retry={() => void claws.refetch()} className="" />
      )}
      {none && (
        <Empty icon={<Bot size={32} strokeWidth={1.5} aria-hidden />} title={words.empty} action={button}>
          {words.emptyWhy}
        </Empty>
      )}
      {claws.data && !none && (
        <>
          <FilterField label="Filter by name, role or state" value={q} onChange={filter} />
          {shown.length === 0 ? (
            <Empty
              title="No agent fits the filter"
              action={<Button onClick={() => filter("")}>Clear filter</Button>}
            >
              {sorted.length} {sorted.length === 1 ? "agent is" : "agents are"} hidden by “{q}”.
            </Empty>
          ) : (
            <AgentTable agents={shown} />
          )}
        </>
      )}
      {claws.data && !may("claws.write") && <MissingRight what="create or change agents" least="member" />}
      <CreateDialog open={dialog === "new" && may("claws.write")} onClose={() => create(false)} />
    </PageFrame>
  );
}
