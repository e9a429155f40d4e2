import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { keys } from "~/api/keys";
import { Button } from "~/ui/button";
import { Confirm } from "~/ui/dialog";
import { Markdown } from "~/ui/markdown/markdown";
import { Person } from "~/ui/person";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Ago } from "~/ui/time";
import { restore, versionQuery, versionsQuery, type Skill, type SkillVersion } from "./queries";

function Text({ id, version }: { id: string; version: number }) {
  const text = useQuery(versionQuery(id, version));
  if (text.isPending) return <Loading what={`version ${version}`} rows={3} />;
  if (!text.data) return <Failed error={text.error} retry={() => void text.refetch()} />;
  return (
    <section aria-label={`Version ${version}`} className="py-3">
      <Markdown text={text.data.body} what={`version ${version}`} />
    </section>
  );
}

function Line({
  one,
  skill,
  onRestore,
}: {
  one: SkillVersion;
  skill: Skill;
  onRestore: (() => void) | undefined;
}) {
  const [open, setOpen] = useState(false);
  const now = one.version === skill.current_version;
  return (
    <li className="border-b border-line px-4 py-2 last:border-0">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
        <span className="min-w-0 break-words">
          <span className="font-[550]">Version {one.version}</span>{" "}
          <span className="text-small text-fg-3">
            {one.restored_from ? `restored from version ${one.restored_from}, ` : ""}
            {one.promoted_from ? "made from an agent's work, " : ""}
            {one.author && <Person user={one.author} />}
            {one.author && ", "}
            <Ago at={one.at} />
            {now && ", the current one"}
          </span>
        </span>
        {!now && (
          <span className="flex gap-2">
            <Button
              aria-expanded={open}
              aria-label={`${open ? "Fold" : "Read"} version ${one.version}`}
              onClick={() => setOpen(!open)}
            >
              {open ? "Fold" : "Read"}
            </Button>
            {onRestore && (
              <Button aria-label={`Restore version ${one.version}`} onClick={onRestore}>
                {" "}
                Restore{" "}
              </Button>
            )}
          </span>
        )}
      </div>
      {open && <Text id={skill.id} version={one.version} />}
    </li>
  );
}

/** What it said before, and who wrote that. */
export function Versions({ skill, writes }: { skill: Skill; writes: boolean }) {
  const versions = useQuery(versionsQuery(skill.id));
  const client = useQueryClient();
  const [back, setBack] = useState<number>();
  return (
    <Panel title="Versions">
      {versions.isPending && <Loading what="versions" rows={2} />}
      {versions.isError && !versions.data && (
        <Failed error={versions.error} retry={() => void versions.refetch()} />
      )}
      <ul>
        {(versions.data ?? []).map((one) => (
          <Line
            key={one.version}
            one={one}
            skill={skill}
            onRestore={writes ? () => setBack(one.version) : undefined}
          />
        ))}
      </ul>
      {back !== undefined && (
        <Confirm
          open
          onClose={() => setBack(undefined)}
          look="primary"
          title={`Restore version ${back}?`}
          action="Restore"
          consequence="Its text becomes the newest version, unchanged. The other versions are kept."
          run={async () => {
            await restore(skill.id, back, skill.current_version);
            await client.invalidateQueries({ queryKey: keys.skills });
          }}
        />
      )}
    </Panel>
  );
}
