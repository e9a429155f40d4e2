import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { BookOpen, Plus, Trash2 } from "lucide-react";
import { useMemo, useState } from "react";
import { keys } from "~/api/keys";
import { useMay } from "~/api/may";
import { Button } from "~/ui/button";
import { Modal } from "~/ui/dialog";
import { Empty } from "~/ui/empty";
import { FilterField } from "~/ui/filter-field";
import { useLook } from "~/ui/list/look";
import { cleared } from "~/ui/list/saved";
import { useSelection } from "~/ui/list/selection";
import { SelectionBar } from "~/ui/list/tick";
import { Views } from "~/ui/list/views";
import { MissingRight } from "~/ui/missing-right";
import { PageFrame } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { Segments } from "~/ui/segments";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { Catalogue, KEYS, Subjects } from "./catalogue";
import { DeleteDialog } from "./delete-many";
import { create, skillsQuery } from "./queries";
import { SkillForm } from "./skill-form";
import { Tags } from "./tags";
import { fits, isOwn, tagsOf } from "./words";

const route = getRouteApi("/shell/skills");

/** More skills than these stand under their subjects, folded. */
const MANY = 12;

const BUILT = [{ name: "Own skills first", filters: { sort: "-source" } }];

/** What agents can be taught: skills that come with Roost, and the workspace's own. */
export function SkillsPage() {
  const { asked, look, sorting } = useLook(route, KEYS);
  const { q = "", tag = "", dialog } = asked;
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const skills = useQuery(skillsQuery);
  const manages = useMay()("skills.manage");
  const shown = useMemo(
    () => (skills.data ?? []).filter((skill) => fits(skill, q.trim(), tag)),
    [skills.data, q, tag],
  );
  const selection = useSelection();
  const [deletes, setDeletes] = useState(false);
  // Skills that the search hides are not acted on: nobody sees that they are chosen.
  const selected = useMemo(() => shown.filter(({ id }) => selection.ids.has(id)), [shown, selection.ids]);
  const grouped = shown.length > MANY && q.trim() === "" && tag === "";
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
          <Views list="skills" filters={cleared({ ...asked, dialog: undefined })} built={BUILT} />
          <div className="flex flex-wrap items-center gap-3">
            <FilterField label="Search skills" value={q} onChange={(text) => look({ q: text })} />
            {grouped && (
              <Segments
                label="Order"
                value={sorting.by === "" ? "subject" : "list"}
                options={[
                  ["subject", "By subject"],
                  ["list", "One list"],
                ]}
                onChange={(view) => look({ sort: view === "list" ? "name" : "" })}
              />
            )}
          </div>
          <Tags tags={tagsOf(skills.data)} chosen={tag} choose={(one) => look({ tag: one })} />
          {shown.length > 0 && grouped && sorting.by === "" && (
            <Subjects skills={shown} chosen={`${q} ${tag}`} sorting={sorting} />
          )}
          {shown.length > 0 && !(grouped && sorting.by === "") && (
            <Catalogue
              skills={shown}
              chosen={`${q} ${tag}`}
              sorting={sorting}
              selection={manages && shown.some(isOwn) ? selection : undefined}
              bar={
                <SelectionBar what="skills" count={selected.length} onClear={selection.clear}>
                  <Button icon={<Trash2 size={14} aria-hidden />} onClick={() => setDeletes(true)}>
                    Delete…
                  </Button>
                </SelectionBar>
              }
            />
          )}
          {shown.length === 0 && (
            <Empty
              title="No skill fits the search"
              action={<Button onClick={() => look({ q: "", tag: "" })}>Clear search</Button>}
            />
          )}
        </>
      )}
      {deletes && <DeleteDialog skills={selected} onClose={() => setDeletes(false)} />}
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
