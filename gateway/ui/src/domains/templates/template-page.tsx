import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { useState } from "react";
import { keys } from "~/api/keys";
import { useMay } from "~/api/may";
import { templateQuery, type TeamTemplate } from "~/api/teams";
import { Button, buttonClass } from "~/ui/button";
import { Confirm } from "~/ui/dialog";
import { isolate } from "~/ui/isolate";
import { MissingRight } from "~/ui/missing-right";
import { PageFrame } from "~/ui/page";
import { Lacks } from "~/ui/lacks";
import { Facts, Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { bundleName, categoryName, imageName, needName, profileName, profileSays } from "~/ui/template-words";
import { Topology } from "~/ui/topology/drawing";
import { kindName } from "~/ui/topology/kinds";
import { shapeOf } from "~/ui/topology/place";
import { visible } from "~/ui/visible";
import { BackLink } from "~/ui/back-link";
import { Agents } from "./agents";
import { CopyDialog } from "./copy-dialog";
import { EditTemplate } from "./edit";
import { remove } from "./queries";
import { Roles } from "./roles";
import { Versions } from "./versions";

const route = getRouteApi("/shell/templates/$id");

function Actions({ template, onEdit }: { template: TeamTemplate; onEdit: () => void }) {
  const may = useMay();
  const client = useQueryClient();
  const navigate = route.useNavigate();
  const [open, setOpen] = useState<"copy" | "delete">();
  const close = () => setOpen(undefined);
  return (
    <>
      {may("teams.manage") && (
        <Link to="/teams/new" search={{ template: template.id }} className={buttonClass("primary")}>
          Make a team
        </Link>
      )}
      {may("templates.manage") && template.source === "workspace" && <Button onClick={onEdit}>Edit</Button>}
      {may("templates.manage") && <Button onClick={() => setOpen("copy")}>Copy</Button>}
      {may("templates.manage") && template.source === "workspace" && (
        <Button onClick={() => setOpen("delete")}>Delete</Button>
      )}
      {open === "copy" && <CopyDialog template={template} onClose={close} />}
      <Confirm
        open={open === "delete"}
        onClose={close}
        title={`Delete ${isolate(visible(template.name).slice(0, 80))}?`}
        action="Delete"
        consequence="Nobody can create a team from it any more. Agents that were created from it stay unchanged."
        run={async () => {
          await remove(template.id);
          await navigate({ to: "/templates" });
          await client.invalidateQueries({ queryKey: keys.templates });
        }}
      />
    </>
  );
}

/** The image of its agents' sandboxes, and what is missing here before a team is made. */
function Image({ one: { image, needs } }: { one: TeamTemplate }) {
  return (
    <Panel title="Sandboxes">
      <Facts
        items={[
          ["Image", visible(imageName(image.kind))],
          ["Reference", visible(image.tag ?? "none: this deployment has no image of this name")],
          ["Also needs", needs.map(needName).join(", ") || "nothing"],
        ]}
      />
      {image.lacks.length > 0 && (
        <div role="status" className="border-t border-line bg-waiting/8 px-4 py-3">
          <p className="font-[550]">Missing here</p>
          <Lacks lacks={image.lacks} />
        </div>
      )}
    </Panel>
  );
}

function Content({ one }: { one: TeamTemplate }) {
  return (
    <>
      <Panel title="Topology" aside={kindName(one.default_topology)}>
        <Topology
          label="Who works with whom in a team from it"
          {...shapeOf(one.default_topology, one.roles)}
        />
        <p className="border-t border-line px-4 py-2 text-fg-2">
          {profileName(one.risk_profile)}. {profileSays(one.risk_profile)} They may{" "}
          {one.mcp_bundles.map(bundleName).join(", ") || "use no tools"}.
        </p>
      </Panel>
      <Image one={one} />
      <Roles roles={one.roles} missing={one.missing_skills} />
    </>
  );
}

/** One template: everything that an agent from it will be told. */
export function TemplatePage() {
  const { id } = route.useParams();
  const template = useQuery(templateQuery(id));
  const manages = useMay()("templates.manage");
  // Which one is written; another one is only read.
  const [written, setWritten] = useState<string>();
  const edits = written === id;
  const one = template.data;
  const name = one ? visible(one.name) : "…";
  return (
    <PageFrame
      wide
      crumbs={[{ label: "Templates", to: "/templates" }, { label: name }]}
      actions={one && !edits && <Actions key={id} template={one} onEdit={() => setWritten(id)} />}
    >
      {template.isPending && <Loading what="the template" rows={6} />}
      {template.isError && !one && (
        <Failed
          error={template.error}
          retry={() => void template.refetch()}
          gone={<BackLink to="/templates">All templates</BackLink>}
          className=""
        />
      )}
      {one && (
        <>
          <div>
            <h1 className="text-head-1 break-words">
              <bdi>{name}</bdi>
            </h1>
            <p className="text-small text-fg-3">
              {categoryName(one.category)}, version {one.version},{" "}
              {one.source === "builtin" ? "built-in" : "the workspace's own"}
            </p>
            <p className="mt-1 max-w-[90ch] break-words text-fg-2">{visible(one.description)}</p>
          </div>
          <Stale query={template} />
          <div className="grid min-w-0 items-start gap-4 2xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
            <div className="flex min-w-0 flex-col gap-4">
              {edits && (
                <EditTemplate key={`edit ${id}`} template={one} onDone={() => setWritten(undefined)} />
              )}
              {!edits && <Content one={one} />}
            </div>
            <div className="flex min-w-0 flex-col gap-4">
              <Agents key={`agents ${id}`} template={one} manages={manages} />
              <Versions template={one} />
            </div>
          </div>
          {!manages && <MissingRight what="copy templates or upgrade agents" least="member" />}
        </>
      )}
    </PageFrame>
  );
}
