import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Bot, Plus } from "lucide-react";
import { useMemo } from "react";
import { useMay } from "~/api/may";
import { modelsQuery } from "~/api/models";
import { teamsQuery } from "~/api/teams";
import type { Claw } from "~/api/types";
import { agentStates, useAgentWord } from "~/ui/agent-state";
import { Button } from "~/ui/button";
import { Empty } from "~/ui/empty";
import { FilterField } from "~/ui/filter-field";
import { cleared, type Filters } from "~/ui/list/saved";
import { Select } from "~/ui/list/select";
import { compareNames } from "~/ui/list/sort";
import { Views } from "~/ui/list/views";
import { MissingRight } from "~/ui/missing-right";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { Segments } from "~/ui/segments";
import { Loading } from "~/ui/skeleton";
import { visible } from "~/ui/visible";
import { AgentTable } from "./agent-table";
import { grouped, narrows, readAsked, shown, sorted, teamsOf } from "./arrange";
import { CreateDialog } from "./create-dialog";
import { teamModels, usedModel } from "./model";
import { clawsQuery } from "./queries";
import { words } from "./words";

const route = getRouteApi("/shell/agents");
const ANY = { value: "", label: "Any" };
const STATES = [ANY, ...Object.entries(agentStates).map(([value, { word }]) => ({ value, label: word }))];
const BUILT = [
  { name: "Working", filters: { state: "working" } },
  { name: "By team", filters: { group: "team" } },
];
const GROUPS = [
  ["", "One list"],
  ["team", "By team"],
] as const;

interface ListProps {
  agents: Claw[];
  asked: Filters;
  look: (change: Filters) => void;
  mayDelete: boolean;
}

function List({ agents, asked, look, mayDelete }: ListProps) {
  const all = useQuery(teamsQuery).data;
  const models = useQuery(modelsQuery).data?.items;
  const teams = useMemo(() => teamsOf(all ?? []), [all]);
  const used = useMemo(() => {
    const ofTeams = all && teamModels(all);
    return (claw: Claw) => usedModel(claw, ofTeams, models);
  }, [all, models]);
  const { q = "", state = "", team = "", group = "", sort = "" } = asked;
  const wordOf = useAgentWord();
  const words = agents.map(wordOf).join();
  const rows = useMemo(
    () => sorted(shown(agents, { q, state, team }, teams, wordOf), sort || "name", wordOf),
    // The words say all that the function knows.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies, react/exhaustive-deps, react/memo-dependencies
    [agents, q, state, team, sort, teams, words],
  );
  const groups = useMemo(() => (group ? grouped(rows, teams) : undefined), [group, rows, teams]);
  const options = useMemo(
    () => [
      ANY,
      ...(all ?? [])
        .map(({ id, name }) => ({ value: id, label: visible(name) }))
        .toSorted((a, b) => compareNames(a.label, b.label)),
    ],
    [all],
  );
  return (
    <>
      <Views list="agents" filters={asked} built={BUILT} />
      <div className="flex flex-wrap items-center gap-2">
        <FilterField
          label="Filter by name, role or state"
          className="sm:max-w-72"
          value={q}
          onChange={(text) => look({ q: text })}
        />
        <Select label="State" value={state} options={STATES} onChange={(one) => look({ state: one })} />
        <Select label="Team" value={team} options={options} onChange={(one) => look({ team: one })} />
        <Segments
          label="Grouping"
          value={group === "team" ? "team" : ""}
          options={GROUPS}
          onChange={(one) => look({ group: one })}
        />
      </div>
      {rows.length === 0 ? (
        <Empty
          title="No agent fits the filter"
          action={<Button onClick={() => look({ q: "", state: "", team: "" })}>Clear filter</Button>}
        >
          {narrows(asked) && `The filter hides ${agents.length} ${agents.length === 1 ? "agent" : "agents"}.`}
        </Empty>
      ) : (
        <AgentTable
          agents={rows}
          teams={teams}
          used={used}
          groups={groups}
          chosen={JSON.stringify(asked)}
          sorting={{ by: sort, onSort: (by) => look({ sort: by }) }}
          mayDelete={mayDelete}
        />
      )}
    </>
  );
}

export function AgentsPage() {
  const search = route.useSearch();
  const asked = readAsked(search);
  const navigate = route.useNavigate();
  const claws = useQuery(clawsQuery);
  const may = useMay();
  const present = useMemo(() => (claws.data ?? []).filter((claw) => !claw.deleted_at), [claws.data]);
  const look = (change: Filters) =>
    void navigate({ search: (now) => cleared({ ...now, ...change }), replace: true });
  const create = (open: boolean) =>
    void navigate({ search: (now) => cleared({ ...now, dialog: open ? "new" : "" }) });
  const button = may("claws.write") && (
    <Button look="primary" icon={<Plus size={14} aria-hidden />} onClick={() => create(true)}>
      New agent
    </Button>
  );
  const none = claws.data !== undefined && present.length === 0;
  return (
    <PageFrame wide crumbs={[{ label: "Agents" }]} actions={none ? undefined : button}>
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
        <List agents={present} asked={asked} look={look} mayDelete={may("claws.write")} />
      )}
      {claws.data && !may("claws.write") && <MissingRight what="create or change agents" least="member" />}
      <CreateDialog open={search.dialog === "new" && may("claws.write")} onClose={() => create(false)} />
    </PageFrame>
  );
}
