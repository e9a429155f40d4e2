import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { LayoutTemplate, Trash2 } from "lucide-react";
import { useMemo, useState } from "react";
import { useMay } from "~/api/may";
import { templatesQuery, type TemplateBrief } from "~/api/teams";
import { Button } from "~/ui/button";
import { Empty } from "~/ui/empty";
import { FilterField } from "~/ui/filter-field";
import type { ListColumn } from "~/ui/list/list-table";
import { useLook } from "~/ui/list/look";
import { cleared } from "~/ui/list/saved";
import { useSelection } from "~/ui/list/selection";
import type { Keys } from "~/ui/list/sort";
import { SortedTable } from "~/ui/list/sorted-table";
import { SelectionBar } from "~/ui/list/tick";
import { Views } from "~/ui/list/views";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { categoryName, profileName } from "~/ui/template-words";
import { kindName } from "~/ui/topology/kinds";
import { shapeOf } from "~/ui/topology/place";
import { Sketch } from "~/ui/topology/sketch";
import { visible } from "~/ui/visible";
import { DeleteDialog, TEMPLATES } from "./delete-many";

const route = getRouteApi("/shell/templates");

const BUILT = [{ name: "Own templates first", filters: { sort: "-source" } }];

const isOwn = ({ source: from }: TemplateBrief) => from === "workspace";
const source = ({ source: from }: TemplateBrief) => (from === "builtin" ? "Built-in" : "Written here");
const roles = ({ roles: all }: TemplateBrief) => `${all.length} ${all.length === 1 ? "role" : "roles"}`;

const KEYS: Keys<TemplateBrief> = {
  name: ({ name }) => name,
  category: ({ category }) => categoryName(category),
  works: ({ default_topology }) => kindName(default_topology),
  roles: (one) => one.roles.length,
  source,
};

const COLUMNS: ListColumn<TemplateBrief>[] = [
  {
    name: "Template",
    orders: ["name", "-name"],
    show: (one) => (
      <>
        <Link
          to="/templates/$id"
          params={{ id: one.id }}
          title={one.name}
          className="block truncate rounded-control font-[550] hover:text-accent hover:underline"
        >
          <bdi>{visible(one.name)}</bdi>
        </Link>
        <p className="truncate text-fg-2" title={one.description}>
          {visible(one.description)}
        </p>
        <ul
          aria-label="Facts"
          className="mt-1 flex max-h-10 flex-wrap gap-x-4 gap-y-0.5 overflow-hidden text-small text-fg-3"
        >
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
    look: "w-36 max-md:hidden",
    cell: "truncate text-fg-2",
    orders: ["category", "-category"],
    show: ({ category }) => categoryName(category),
  },
  {
    name: "How they work",
    look: "w-44 max-sm:hidden",
    cell: "truncate text-fg-2",
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
    look: "w-24 text-right max-md:hidden",
    cell: "text-fg-2 tabular-nums",
    orders: ["-roles", "roles"],
    show: (one) => one.roles.length,
  },
  {
    name: "Source",
    look: "w-36 max-md:hidden",
    cell: "truncate text-fg-2",
    orders: ["source", "-source"],
    show: source,
  },
];

/** Templates of one category stand together. */
const OWN = "category";

/** Room for the drawing of how they work, or for the facts on a phone. */
const HEIGHTS = { wide: 92, narrow: 112 };
const nameOf = ({ name }: TemplateBrief) => name;

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
  const { asked, look, sorting } = useLook(route, KEYS);
  const { q = "" } = asked;
  const manages = useMay()("templates.manage");
  const templates = useQuery(templatesQuery);
  const shown = useMemo(() => found(templates.data ?? [], q), [templates.data, q]);
  const selection = useSelection();
  const [deletes, setDeletes] = useState(false);
  // Templates that the search hides are not acted on: nobody sees that they are chosen.
  const selected = useMemo(() => shown.filter(({ id }) => selection.ids.has(id)), [shown, selection.ids]);
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
          <Views list="templates" filters={cleared(asked)} built={BUILT} />
          <FilterField label="Search templates" value={q} onChange={(text) => look({ q: text })} />
          {shown.length === 0 && (
            <Empty
              title="No template fits the search"
              action={<Button onClick={() => look({ q: "" })}>Clear search</Button>}
            />
          )}
          {shown.length > 0 && (
            <SortedTable
              label="Table of templates"
              what={TEMPLATES}
              columns={COLUMNS}
              rows={shown}
              keys={KEYS}
              own={OWN}
              then="name"
              nameOf={nameOf}
              chosen={q}
              sorting={sorting}
              heights={HEIGHTS}
              selection={manages && shown.some(isOwn) ? selection : undefined}
              selectable={isOwn}
              bar={
                <SelectionBar what="templates" count={selected.length} onClear={selection.clear}>
                  <Button icon={<Trash2 size={14} aria-hidden />} onClick={() => setDeletes(true)}>
                    Delete…
                  </Button>
                </SelectionBar>
              }
            />
          )}
        </>
      )}
      {deletes && <DeleteDialog templates={selected} onClose={() => setDeletes(false)} />}
    </PageFrame>
  );
}
