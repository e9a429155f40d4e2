import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { meQuery } from "~/api/me";
import type { Me, Tree } from "~/api/types";
import { Empty } from "~/ui/empty";
import { Choice } from "~/ui/field";
import { FilterField } from "~/ui/filter-field";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { sentence } from "~/ui/sentence";
import { Loading } from "~/ui/skeleton";
import { Status } from "~/ui/status";
import { count, offers, type TreeFilter } from "./flatten";
import { useLiveTree } from "./live";
import { TreeGrid } from "./tree-grid";

const route = getRouteApi("/shell/operator");

function Filters({
  tree,
  filter,
  me,
  onChange,
}: {
  tree: Tree;
  filter: TreeFilter;
  me: Me | undefined;
  onChange: (filter: TreeFilter) => void;
}) {
  const { kinds, tenants } = offers(tree.root);
  const called = (id: string) => me?.workspaces.find((one) => one.id === id)?.name ?? id.slice(0, 8);
  return (
    <div className="flex flex-wrap items-end gap-3">
      <FilterField
        label="Find an actor by name, kind or state"
        value={filter.query ?? ""}
        onChange={(query) => onChange({ ...filter, query: query || undefined })}
      />
      <Choice
        label="Kind"
        className="w-44"
        value={filter.kind ?? ""}
        onChange={(event) => onChange({ ...filter, kind: event.target.value || undefined })}
      >
        <option value="">all kinds</option>
        {kinds.map((kind) => (
          <option key={kind} value={kind}>
            {sentence(kind)}
          </option>
        ))}
      </Choice>
      <Choice
        label="Works for"
        className="w-52"
        value={filter.tenant ?? ""}
        onChange={(event) => onChange({ ...filter, tenant: event.target.value || undefined })}
      >
        <option value="">all workspaces</option>
        {tenants.map((tenant) => (
          <option key={tenant} value={tenant}>
            {called(tenant)}
          </option>
        ))}
      </Choice>
    </div>
  );
}

/** The supervision tree as it lives, from a stream of its own that is open only while this page is. */
export function OperatorPage() {
  const { q, kind, tenant, actor } = route.useSearch();
  const navigate = route.useNavigate();
  const me = useQuery(meQuery);
  const { tree, problem, rates, retry } = useLiveTree();
  const forbidden = problem?.status === 403;
  const total = tree && count(tree.root);
  const filter: TreeFilter = { query: q, kind, tenant };
  const go = (next: TreeFilter, open = actor) =>
    void navigate({
      search: {
        ...(next.query && { q: next.query }),
        ...(next.kind && { kind: next.kind }),
        ...(next.tenant && { tenant: next.tenant }),
        ...(open && { actor: open }),
      },
      replace: true,
    });
  const operator = me.data?.operator === true;
  return (
    <PageFrame
      wide
      crumbs={[{ label: "Supervision" }]}
      actions={
        operator && (
          <Link to="/operator/promises" className="rounded-control text-fg-2 underline hover:text-fg">
            Promises
          </Link>
        )
      }
    >
      <header className="flex flex-wrap items-baseline gap-x-4 gap-y-1">
        <h1 className="text-head-1">Supervision</h1>
        {total && (
          <p className="text-fg-3">
            {total.actors} {total.actors === 1 ? "actor" : "actors"}, {total.restarts}{" "}
            {total.restarts === 1 ? "restart" : "restarts"}
            {total.failed > 0 && <span className="text-failed">, {total.failed} failed for good</span>}
          </p>
        )}
        {/* In the heading's line, so that nothing below moves when it comes and goes. */}
        <span role="status">
          {tree && problem && !forbidden && (
            <Status tone="warning" word="Not live, trying again" title={problem.title} />
          )}
        </span>
      </header>
      {!tree && !problem && (
        <Loading
          what="the supervision tree"
          rows={8}
          className="rounded-panel border border-line bg-surface"
        />
      )}
      {forbidden && (
        <Empty title="The tree is for operators">
          Your account lacks the operator grant. The person who runs this Roost can give it in the
          configuration or on the command line.
        </Empty>
      )}
      {problem && !forbidden && !tree && <Failed error={problem} retry={retry} className="" />}
      {tree && !forbidden && (
        <>
          <Filters tree={tree} filter={filter} me={me.data} onChange={(next) => go(next)} />
          <TreeGrid
            tree={tree}
            rates={rates}
            filter={filter}
            mayRestart={operator}
            explained={actor}
            onExplain={(id) => go(filter, id ?? "")}
          />
        </>
      )}
    </PageFrame>
  );
}
