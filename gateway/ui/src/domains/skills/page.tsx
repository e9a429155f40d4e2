import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { BookOpen, Plus } from "lucide-react";
import { useMemo } from "react";
import { keys } from "~/api/keys";
import { useMay } from "~/api/may";
import { Button } from "~/ui/button";
import { cx } from "~/ui/class";
import { type Column, LiveTable } from "~/ui/data-table";
import { Modal } from "~/ui/dialog";
import { Empty } from "~/ui/empty";
import { FilterField } from "~/ui/filter-field";
import { type Keys, knownOrder, type Orders, sortColumns, sortedBy, type Sorting } from "~/ui/list/sort";
import { MissingRight } from "~/ui/missing-right";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { table } from "~/ui/table";
import { Ago } from "~/ui/time";
import { visible } from "~/ui/visible";
import { create, skillsQuery, type SkillBrief } from "./queries";
import { SkillForm } from "./skill-form";
import { fits, sourceWord, tagsOf } from "./words";

const route = getRouteApi("/shell/skills");

function Tags({
  tags,
  chosen,
  choose,
}: {
  tags: [string, number][];
  chosen: string;
  choose: (tag: string) => void;
}) {
  return (
    <div role="group" aria-label="Tags" className="flex flex-wrap gap-1.5">
      {tags.map(([tag, count]) => (
        <button
          key={tag}
          type="button"
          aria-pressed={tag === chosen}
          onClick={() => choose(tag === chosen ? "" : tag)}
          className={cx(
            "inline-flex min-h-6 items-center gap-1 rounded-control border px-1.5 text-small pointer-coarse:min-h-11 pointer-coarse:px-3",
            tag === chosen
              ? "border-accent bg-accent/10 font-[550] text-fg"
              : "border-line-strong/60 text-fg-2 hover:border-line-strong hover:text-fg",
          )}
        >
          <bdi>{visible(tag)}</bdi>
          <span className="text-fg-3">{count}</span>
        </button>
      ))}
    </div>
  );
}

const KEYS: Keys<SkillBrief> = {
  name: ({ title }) => title,
  source: ({ source_kind }) => sourceWord(source_kind),
  version: ({ current_version }) => current_version,
  changed: ({ updated_at }) => Date.parse(updated_at),
};

const about = ({ source_kind, foundation }: SkillBrief) => {
  const source = sourceWord(source_kind);
  return `${source.charAt(0).toUpperCase()}${source.slice(1)}${foundation ? ", for every agent" : ""}`;
};

const COLUMNS: (Column<SkillBrief> & { orders?: Orders })[] = [
  {
    name: "Skill",
    orders: ["name", "-name"],
    cell: "w-full max-w-0 py-2.5",
    show: (skill) => (
      <>
        <Link
          to="/skills/$id"
          params={{ id: skill.id }}
          className="rounded-control font-[550] break-words hover:text-accent hover:underline"
        >
          <bdi>{visible(skill.title)}</bdi>
        </Link>
        <p className="max-w-[90ch] break-words text-fg-2">{visible(skill.when_to_use)}</p>
        <p className="text-small break-words text-fg-3">
          <bdi className="font-mono">{visible(skill.name)}</bdi>
          {skill.tags.length > 0 && `, ${visible(skill.tags.join(", "))}`}
        </p>
        <p className="text-small text-fg-3 sm:hidden">
          {about(skill)}, version {skill.current_version}
        </p>
      </>
    ),
  },
  {
    name: "Source",
    look: "max-sm:hidden",
    cell: "min-w-32 text-fg-2",
    orders: ["source", "-source"],
    show: about,
  },
  {
    name: "Version",
    look: "text-right max-sm:hidden",
    cell: "text-fg-2 tabular-nums",
    orders: ["-version", "version"],
    show: ({ current_version }) => current_version,
  },
  {
    name: "Changed",
    look: "text-right max-md:hidden",
    cell: "whitespace-nowrap text-fg-2",
    orders: ["-changed", "changed"],
    show: ({ updated_at }) => <Ago at={updated_at} />,
  },
];

/** The order of the gateway, which sorts by names. */
const OWN = "name";

function Catalogue({ skills, chosen, sorting }: { skills: SkillBrief[]; chosen: string; sorting: Sorting }) {
  const rows = useMemo(() => sortedBy(skills, sorting.by || OWN, KEYS), [skills, sorting.by]);
  return (
    <section aria-label="Catalogue" className={table.frame}>
      <LiveTable
        opens
        label="Table of skills"
        what={["skill", "skills"]}
        columns={sortColumns(COLUMNS, sorting, OWN)}
        rows={rows}
        chosen={`${sorting.by} ${chosen}`}
      />
    </section>
  );
}

/** What agents can be taught: skills that come with Roost, and the workspace's own. */
export function SkillsPage() {
  const { q = "", tag = "", dialog, sort } = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const skills = useQuery(skillsQuery);
  const manages = useMay()("skills.manage");
  const by = knownOrder(sort, KEYS);
  const look = (next: { q?: string; tag?: string; sort?: string; dialog?: string }) =>
    void navigate({
      search: Object.fromEntries(Object.entries({ q, tag, sort: by, ...next }).filter(([, text]) => text)),
      replace: next.dialog === undefined,
    });
  const shown = useMemo(
    () => (skills.data ?? []).filter((skill) => fits(skill, q.trim(), tag)),
    [skills.data, q, tag],
  );
  const button = manages && (
    <Button look="primary" icon={<Plus size={14} aria-hidden />} onClick={() => look({ dialog: "new" })}>
      Write a skill
    </Button>
  );
  return (
    <PageFrame crumbs={[{ label: "Skills" }]} actions={skills.data?.length === 0 ? undefined : button}>
      <h1 className="text-head-1">Skills</h1>
      {skills.isPending && (
        <Loading what="skills" rows={6} className="rounded-panel border border-line bg-surface" />
      )}
      {skills.isError && !skills.data && (
        <Failed error={skills.error} retry={() => void skills.refetch()} className="" />
      )}
      <Stale query={skills} />
      {skills.data?.length === 0 && (
        <Empty icon={<BookOpen size={32} strokeWidth={1.5} aria-hidden />} title="No skills" action={button}>
          A skill describes how to do a kind of work. An agent reads it when it needs it.
        </Empty>
      )}
      {skills.data && skills.data.length > 0 && (
        <>
          <FilterField label="Search skills" value={q} onChange={(text) => look({ q: text })} />
          <Tags tags={tagsOf(skills.data)} chosen={tag} choose={(one) => look({ tag: one })} />
          {shown.length > 0 ? (
            <Catalogue
              skills={shown}
              chosen={`${q} ${tag}`}
              sorting={{ by, onSort: (one) => look({ sort: one }) }}
            />
          ) : (
            <Empty
              title="No skill fits the search"
              action={<Button onClick={() => look({ q: "", tag: "" })}>Clear search</Button>}
            />
          )}
        </>
      )}
      {skills.data && !manages && <MissingRight what="write skills" least="member" />}
      {dialog === "new" && manages && (
        <Modal
          open
          wide
          onClose={() => look({ dialog: "" })}
          title="Write a skill"
          lead="The skill belongs to this workspace."
        >
          <SkillForm
            action="Write it"
            onCancel={() => look({ dialog: "" })}
            save={async (text) => {
              const made = await create(text);
              void client.invalidateQueries({ queryKey: keys.skills });
              await navigate({ to: "/skills/$id", params: { id: made.id } });
            }}
          />
        </Modal>
      )}
    </PageFrame>
  );
}
