import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { TeamTemplate } from "~/api/teams";
import { Button } from "~/ui/button";
import { DiffView } from "~/ui/diff/diff-view";
import { Person } from "~/ui/person";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Segments } from "~/ui/segments";
import { Loading } from "~/ui/skeleton";
import { Ago } from "~/ui/time";
import { visible } from "~/ui/visible";
import { contentOf, textOf } from "./content";
import { versionQuery, versionsQuery, type VersionBrief } from "./queries";
import { Roles } from "./roles";

const VIEWS = [
  ["changes", "What changed since"],
  ["whole", "As it was"],
] as const;

function Content({ template, version }: { template: TeamTemplate; version: number }) {
  const text = useQuery(versionQuery(template.id, version));
  const [view, setView] = useState<"changes" | "whole">("changes");
  if (text.isPending) return <Loading what={`version ${version}`} rows={3} />;
  if (!text.data) return <Failed error={text.error} retry={() => void text.refetch()} />;
  return (
    <section aria-label={`Version ${version}`} className="flex min-w-0 flex-col gap-2 py-3">
      <Segments label={`How version ${version} is shown`} value={view} options={VIEWS} onChange={setView} />
      {view === "changes" ? (
        <div className="min-w-0 rounded-panel border border-line">
          <DiffView
            before={textOf(text.data.content)}
            after={textOf(contentOf(template))}
            label={`From version ${version} to version ${template.version}`}
          />
        </div>
      ) : (
        <>
          <p className="break-words text-fg-2">{visible(text.data.content.description)}</p>
          <Roles roles={text.data.content.roles} missing={[]} />
        </>
      )}
    </section>
  );
}

function Line({ one, template }: { one: VersionBrief; template: TeamTemplate }) {
  const [open, setOpen] = useState(false);
  const now = one.version === template.version;
  return (
    <li className="border-b border-line px-4 py-2 last:border-0">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <span className="min-w-0 break-words">
          <span className="font-[550]">Version {one.version}</span>{" "}
          <span className="text-small text-fg-3">
            {one.author ? <Person user={one.author} /> : "came with Roost"}
            {", "}
            <Ago at={one.at} />
            {now && ", the current one"}
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
      {open && <Content template={template} version={one.version} />}
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
