import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { LayoutTemplate } from "lucide-react";
import { templatesQuery, type TemplateBrief } from "~/api/teams";
import { Button } from "~/ui/button";
import { Empty } from "~/ui/empty";
import { FilterField } from "~/ui/filter-field";
import { PageFrame } from "~/ui/page";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { categoryName, profileName } from "~/ui/template-words";
import { kindName } from "~/ui/topology/kinds";
import { shapeOf } from "~/ui/topology/place";
import { Sketch } from "~/ui/topology/sketch";
import { visible } from "~/ui/visible";

const route = getRouteApi("/shell/templates");

function Line({ one }: { one: TemplateBrief }) {
  return (
    <li data-row className="flex items-start gap-4 border-b border-line px-4 py-2.5 last:border-0">
      <div className="min-w-0 flex-1">
        <Link
          to="/templates/$id"
          params={{ id: one.id }}
          className="rounded-control font-[550] break-words hover:text-accent hover:underline"
        >
          <bdi>{visible(one.name)}</bdi>
        </Link>
        <p className="max-w-[90ch] break-words text-fg-2">{visible(one.description)}</p>
        <ul aria-label="Facts" className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5 text-small text-fg-3">
          <li className="text-fg-2">{kindName(one.default_topology)}</li>
          <li>
            {one.roles.length} {one.roles.length === 1 ? "role" : "roles"}
          </li>
          <li>{profileName(one.risk_profile)}</li>
          <li>Version {one.version}</li>
          <li>{one.source === "builtin" ? "Built-in" : "Written here"}</li>
        </ul>
      </div>
      <div className="max-sm:hidden">
        <Sketch {...shapeOf(one.default_topology, one.roles)} />
      </div>
    </li>
  );
}

/** What teams are made from. */
export function TemplatesPage() {
  const { q = "" } = route.useSearch();
  const navigate = route.useNavigate();
  const templates = useQuery(templatesQuery);
  const filter = (text: string) => void navigate({ search: text ? { q: text } : {}, replace: true });
  const parts = q.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = (templates.data ?? []).filter((one) =>
    parts.every((part) =>
      `${one.name} ${one.key} ${one.description} ${one.stack} ${one.roles.map(({ title }) => title).join(" ")}`
        .toLowerCase()
        .includes(part),
    ),
  );
  const categories = [...new Set(shown.map(({ category }) => category))].toSorted();
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
          <FilterField label="Search templates" value={q} onChange={filter} />
          {shown.length === 0 && (
            <Empty
              title="No template fits the search"
              action={<Button onClick={() => filter("")}>Clear search</Button>}
            />
          )}
          {categories.map((category) => (
            <Panel key={category} title={categoryName(category)}>
              <ul>
                {shown
                  .filter((one) => one.category === category)
                  .map((one) => (
                    <Line key={one.id} one={one} />
                  ))}
              </ul>
            </Panel>
          ))}
        </>
      )}
    </PageFrame>
  );
}
