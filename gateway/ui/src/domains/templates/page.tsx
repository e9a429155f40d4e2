import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { LayoutTemplate } from "lucide-react";
import { useMemo } from "react";
import { templatesQuery, type TemplateBrief } from "~/api/teams";
import { Button } from "~/ui/button";
import { type Column, LiveTable } from "~/ui/data-table";
import { Empty } from "~/ui/empty";
import { FilterField } from "~/ui/filter-field";
import { type Keys, knownOrder, type Orders, sortColumns, sortedBy, type Sorting } from "~/ui/list/sort";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { table } from "~/ui/table";
import { categoryName, profileName } from "~/ui/template-words";
import { kindName } from "~/ui/topology/kinds";
import { shapeOf } from "~/ui/topology/place";
import { Sketch } from "~/ui/topology/sketch";
import { visible } from "~/ui/visible";

const route = getRouteApi("/shell/templates");

const source = ({ source: from }: TemplateBrief) => (from === "builtin" ? "Built-in" : "Written here");
const roles = ({ roles: all }: TemplateBrief) => `${all.length} ${all.length === 1 ? "role" : "roles"}`;

const KEYS: Keys<TemplateBrief> = {
  name: ({ name }) => name,
  category: ({ category }) => categoryName(category),
  works: ({ default_topology }) => kindName(default_topology),
  roles: (one) => one.roles.length,
  source,
};

const COLUMNS: (Column<TemplateBrief> & { orders?: Orders })[] = [
  {
    name: "Template",
    orders: ["name", "-name"],
    cell: "w-full max-w-0 py-2.5",
    show: (one) => (
      <>
        <Link
          to="/templates/$id"
          params={{ id: one.id }}
          className="rounded-control font-[550] break-words hover:text-accent hover:underline"
        >
          <bdi>{visible(one.name)}</bdi>
        </Link>
        <p className="max-w-[90ch] break-words text-fg-2">{visible(one.description)}</p>
        <ul aria-label="Facts" className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5 text-small text-fg-3">
          <li className="text-fg-2 md:hidden">{categoryName(one.category)}</li>
          <li className="text-fg-2 sm:hidden">{kindName(one.default_topology)}</li>
          <li className="md:hidden">{roles(one)}</li>
          <li>{profileName(one.risk_profile)}</li>
          <li>Version {one.version}</li>
          <li className="md:hidden">{source(one)}</li>
        </ul>
      </>
    ),
  },
  {
    name: "Category",
    look: "max-md:hidden",
    cell: "whitespace-nowrap text-fg-2",
    orders: ["category", "-category"],
    show: ({ category }) => categoryName(category),
  },
  {
    name: "How they work",
    look: "max-sm:hidden",
    cell: "whitespace-nowrap text-fg-2",
    orders: ["works", "-works"],
    show: (one) => (
      <span className="flex flex-col gap-1 py-1">
        <Sketch {...shapeOf(one.default_topology, one.roles)} />
        {kindName(one.default_topology)}
      </span>
    ),
  },
  {
    name: "Roles",
    look: "text-right max-md:hidden",
    cell: "text-fg-2 tabular-nums",
    orders: ["-roles", "roles"],
    show: (one) => one.roles.length,
  },
  {
    name: "Source",
    look: "max-md:hidden",
    cell: "whitespace-nowrap text-fg-2",
    orders: ["source", "-source"],
    show: source,
  },
];

/** Templates of one category stand together. */
const OWN = "category";

function List({ templates, q, sorting }: { templates: TemplateBrief[]; q: string; sorting: Sorting }) {
  const rows = useMemo(
    () => sortedBy(sortedBy(templates, "name", KEYS), sorting.by || OWN, KEYS),
    [templates, sorting.by],
  );
  return (
    <div className={table.frame}>
      <LiveTable
        opens
        label="Table of templates"
        what={["template", "templates"]}
        columns={sortColumns(COLUMNS, sorting, OWN)}
        rows={rows}
        chosen={`${sorting.by} ${q}`}
      />
    </div>
  );
}

/** Every word must be found in what the template is, is for, or consists of. */
function found(templates: readonly TemplateBrief[], q: string): TemplateBrief[] {
  const parts = q.toLowerCase().split(/\s+/).filter(Boolean);
  return templates.filter((one) =>
    parts.every((part) =>
      `${one.name} ${one.key} ${one.description} ${one.stack} ${one.roles.map(({ title }) => title).join(" ")}`
        .toLowerCase()
        .includes(part),
    ),
  );
}

/** What teams are made from. */
export function TemplatesPage() {
  const { q = "", sort } = route.useSearch();
  const navigate = route.useNavigate();
  const templates = useQuery(templatesQuery);
  const by = knownOrder(sort, KEYS);
  const look = (next: { q?: string; sort?: string }) =>
    void navigate({
      search: Object.fromEntries(Object.entries({ q, sort: by, ...next }).filter(([, text]) => text)),
      replace: true,
    });
  const shown = useMemo(() => found(templates.data ?? [], q), [templates.data, q]);
  return (
    <PageFrame wide crumbs={[{ label: "Templates" }]}>
      <h1 className="text-head-1">Templates</h1>
      {templates.isPending && (
        <Loading what="templates" rows={6} className="rounded-panel border border-line bg-surface" />
      )}
      {templates.isError && !templates.data && (
        <Failed error={templates.error} retry={() => void templates.refetch()} className="" />
      )}
      <Stale query={templates} />
      {templates.data?.length === 0 && (
        <Empty icon={<LayoutTemplate size={32} strokeWidth={1.5} aria-hidden />} title="No templates">
          A template has the roles of a team, with their prompts, skills and first memories.
        </Empty>
      )}
      {templates.data && templates.data.length > 0 && (
        <>
          <FilterField label="Search templates" value={q} onChange={(text) => look({ q: text })} />
          {shown.length === 0 && (
            <Empty
              title="No template fits the search"
              action={<Button onClick={() => look({ q: "" })}>Clear search</Button>}
            />
          )}
          {shown.length > 0 && (
            <List templates={shown} q={q} sorting={{ by, onSort: (one) => look({ sort: one }) }} />
          )}
        </>
      )}
    </PageFrame>
  );
}
