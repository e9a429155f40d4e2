import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { keys } from "~/api/keys";
import { useMay } from "~/api/may";
import { Button } from "~/ui/button";
import { Confirm } from "~/ui/dialog";
import { isolate } from "~/ui/isolate";
import { Markdown } from "~/ui/markdown/markdown";
import { MissingRight } from "~/ui/missing-right";
import { Notice } from "~/ui/notice";
import { PageFrame } from "~/ui/page";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { visible } from "~/ui/visible";
import { BackLink } from "~/ui/back-link";
import { remove, skillQuery, write, type Skill } from "./queries";
import { SkillForm } from "./skill-form";
import { Versions } from "./versions";
import { isOwn, sourceWord } from "./words";

const route = getRouteApi("/shell/skills/$id");

function Delete({ skill }: { skill: Skill }) {
  const [asking, setAsking] = useState(false);
  const client = useQueryClient();
  const navigate = route.useNavigate();
  return (
    <>
      <Button onClick={() => setAsking(true)}>Delete</Button>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={`Delete ${isolate(visible(skill.title).slice(0, 80))}?`}
        action="Delete"
        consequence="Roles and agents that have it continue without it."
        run={async () => {
          await remove(skill.id);
          await navigate({ to: "/skills" });
          await client.invalidateQueries({ queryKey: keys.skills });
        }}
      />
    </>
  );
}

function Whole({ skill, edits, onDone }: { skill: Skill; edits: boolean; onDone: () => void }) {
  const client = useQueryClient();
  if (edits)
    return (
      <Panel title="Write a new version">
        <div className="px-4 py-3">
          <SkillForm
            start={skill}
            read={() => client.fetchQuery({ ...skillQuery(skill.id), staleTime: 0 })}
            action="Save as a new version"
            onCancel={onDone}
            save={async ({ name: _name, ...text }, from) => {
              await write(skill.id, text, from?.current_version ?? skill.current_version);
              await client.invalidateQueries({ queryKey: keys.skills });
              onDone();
            }}
          />
        </div>
      </Panel>
    );
  return (
    <Panel title="Text" aside={`version ${skill.current_version}`}>
      <div className="px-4 py-3">
        <Markdown text={skill.body} what="the skill" />
      </div>
    </Panel>
  );
}

/** One skill: what agents read of it. */
export function SkillPage() {
  const { id } = route.useParams();
  const skill = useQuery(skillQuery(id));
  const manages = useMay()("skills.manage");
  const [edits, setEdits] = useState(false);
  const title = skill.data ? visible(skill.data.title) : "…";
  const own = skill.data !== undefined && isOwn(skill.data);
  return (
    <PageFrame
      wide
      crumbs={[{ label: "Skills", to: "/skills" }, { label: title }]}
      actions={
        skill.data &&
        manages &&
        own &&
        !edits && (
          <>
            <Button look="primary" onClick={() => setEdits(true)}>
              Edit
            </Button>
            <Delete skill={skill.data} />
          </>
        )
      }
    >
      {skill.isPending && <Loading what="the skill" rows={6} />}
      {skill.isError && !skill.data && (
        <Failed
          error={skill.error}
          retry={() => void skill.refetch()}
          gone={<BackLink to="/skills">All skills</BackLink>}
          className=""
        />
      )}
      {skill.data && (
        <>
          <div>
            <h1 className="text-head-1 break-words">
              <bdi>{title}</bdi>
            </h1>
            <p className="text-small break-words text-fg-3">
              <bdi className="font-mono">{visible(skill.data.name)}</bdi>,{" "}
              {sourceWord(skill.data.source_kind)}
              {skill.data.tags.length > 0 && `, ${visible(skill.data.tags.join(", "))}`}
            </p>
            <p className="mt-1 max-w-[90ch] break-words text-fg-2">{visible(skill.data.when_to_use)}</p>
          </div>
          <Stale query={skill} />
          {skill.data.namesake && (
            <Notice>
              {own
                ? "It replaces a skill of the same name that comes with Roost."
                : "The workspace has its own skill that replaces this one."}{" "}
              <Link to="/skills/$id" params={{ id: skill.data.namesake }} className="underline">
                Look at the other one
              </Link>
            </Notice>
          )}
          <div className="grid min-w-0 items-start gap-4 2xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
            <Whole skill={skill.data} edits={edits} onDone={() => setEdits(false)} />
            <Versions skill={skill.data} writes={manages && own} />
          </div>
          {own && !manages && <MissingRight what="change skills" least="member" />}
        </>
      )}
    </PageFrame>
  );
}
