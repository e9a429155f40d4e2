import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { TeamTemplate } from "~/api/teams";
import { Button } from "~/ui/button";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Ago } from "~/ui/time";
import { visible } from "~/ui/visible";
import { versionQuery, versionsQuery, type VersionBrief } from "./queries";
import { Roles } from "./roles";

function Content({ id, version }: { id: string; version: number }) {
  const text = useQuery(versionQuery(id, version));
  if (text.isPending) return <Loading what={`version ${version}`} rows={3} />;
  if (!text.data) return <Failed error={text.error} retry={() => void text.refetch()} />;
  return (
    <section aria-label={`Version ${version}`} className="flex flex-col gap-2 py-3">
      <p className="break-words text-fg-2">{visible(text.data.content.description)}</p>
      <Roles roles={text.data.content.roles} missing={[]} />
    </section>
  );
}

function Line({ one, template }: { one: VersionBrief; template: TeamTemplate }) {
  const [open, setOpen] = useState(false);
  const now = one.version === template.version;
  const by = one.author?.name || one.author?.email;
  return (
    <li className="border-b border-line px-4 py-2 last:border-0">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <span className="min-w-0 break-words">
          <span className="font-[550]">Version {one.version}</span>{" "}
          <span className="text-small text-fg-3">
            {by ? <bdi>{visible(by)}, </bdi> : "came with Roost, "}
            <Ago at={one.at} />
            {now && ", the present one"}
          </span>
        </span>
        {!now && (
          <Button
            aria-expanded={open}
            aria-label={`${open ? "Fold" : "Read"} version ${one.version}`}
            onClick={() => setOpen(!open)}
          >
            {open ? "Fold" : "Read"}
          </Button>
        )}
      </div>
      {open && <Content id={template.id} version={one.version} />}
    </li>
  );
}

/** What it was before. */
export function Versions({ template }: { template: TeamTemplate }) {
  const versions = useQuery(versionsQuery(template.id));
  return (
    <Panel title="Versions">
      {versions.isPending && <Loading what="versions" rows={2} />}
      {versions.isError && !versions.data && (
        <Failed error={versions.error} retry={() => void versions.refetch()} />
      )}
      <ul>
        {(versions.data ?? []).map((one) => (
          <Line key={one.version} one={one} template={template} />
        ))}
      </ul>
    </Panel>
  );
}
