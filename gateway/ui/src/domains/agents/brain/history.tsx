import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { keys } from "~/api/keys";
import type { Brain, BrainCause, BrainVersion } from "~/api/types";
import { Button } from "~/ui/button";
import { bytes } from "~/ui/bytes";
import { Confirm } from "~/ui/dialog";
import { Markdown } from "~/ui/markdown/markdown";
import { Panel } from "~/ui/panel";
import { Person } from "~/ui/person";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Ago } from "~/ui/time";
import { DiffView } from "~/ui/diff/diff-view";
import { brains, historyQuery, versionQuery } from "./queries";

const CAUSES: Record<BrainCause, string> = {
  edit: "written",
  seed: "seeded",
  consolidation: "consolidated",
  restore: "restored",
};

function told(one: BrainVersion): string {
  const cause = one.cause ? (CAUSES[one.cause] ?? one.cause) : "written";
  const from = one.restored_from ? ` from version ${one.restored_from}` : "";
  return `${cause}${from}${one.author ? " by" : ""}`;
}

interface Opened {
  version: number;
  as: "text" | "changes";
}

/** An earlier version, laid out or against the current one. */
function Earlier({ id, version, as, brain }: Opened & { id: string; brain: Brain }) {
  const earlier = useQuery(versionQuery(id, version));
  if (earlier.isPending) return <Loading what={`version ${version}`} rows={3} />;
  if (!earlier.data) return <Failed error={earlier.error} retry={() => void earlier.refetch()} />;
  if (as === "text")
    return (
      <section aria-label={`Version ${version}`} className="p-4">
        {earlier.data.agent_md.trim() === "" ? (
          <p className="text-fg-2">This version is empty.</p>
        ) : (
          <Markdown text={earlier.data.agent_md} what={`version ${version}`} />
        )}
      </section>
    );
  return (
    <DiffView
      before={earlier.data.agent_md}
      after={brain.agent_md}
      label={`What changed from version ${version} to version ${brain.version}`}
    />
  );
}

interface LineProps {
  one: BrainVersion;
  present: boolean;
  opened: Opened["as"] | undefined;
  onOpen: (as: Opened["as"] | undefined) => void;
  onRestore: (() => void) | undefined;
}

/** One version: who wrote it when, and what can be done with it. */
function Line({ one, present, opened, onOpen, onRestore }: LineProps) {
  const toggle = (as: Opened["as"]) => () => onOpen(opened === as ? undefined : as);
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-2">
      <div className="min-w-0">
        <span className="font-[550]">Version {one.version}</span>{" "}
        <span className="text-fg-2">{told(one)}</span> {one.author && <Person user={one.author} />}
        <div className="text-small text-fg-3">
          {bytes(one.bytes)}, <Ago at={one.at} />
        </div>
      </div>
      {present ? (
        <span className="text-small text-fg-3">the current one</span>
      ) : (
        <div className="flex flex-wrap gap-2">
          <Button
            aria-expanded={opened === "text"}
            aria-label={`Read version ${one.version}`}
            onClick={toggle("text")}
          >
            Read
          </Button>
          <Button
            aria-expanded={opened === "changes"}
            aria-label={`Compare version ${one.version} with the current one`}
            onClick={toggle("changes")}
          >
            Compare
          </Button>
          {onRestore && (
            <Button aria-label={`Restore version ${one.version}`} onClick={onRestore}>
              {" "}
              Restore{" "}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

export function History({ id, brain, mayWrite }: { id: string; brain: Brain; mayWrite: boolean }) {
  const client = useQueryClient();
  const history = useInfiniteQuery(historyQuery(id));
  const [opened, setOpened] = useState<Opened>();
  const [restoring, setRestoring] = useState<number>();
  const versions = history.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <Panel title="History" aside={brain.version > 0 && `${brain.version} versions`}>
      {history.isPending && <Loading what="the history" rows={3} />}
      {history.isError && !history.data && (
        <Failed error={history.error} retry={() => void history.refetch()} />
      )}
      {history.data && versions.length === 0 && (
        <p className="px-4 py-3 text-fg-2">Each time the brain is saved, a version is kept here.</p>
      )}
      <ol>
        {versions.map((one) => (
          <li key={one.version} className="border-b border-line last:border-0">
            <Line
              one={one}
              present={one.version === brain.version}
              opened={opened?.version === one.version ? opened.as : undefined}
              onOpen={(as) => setOpened(as && { version: one.version, as })}
              onRestore={mayWrite ? () => setRestoring(one.version) : undefined}
            />
            {opened?.version === one.version && (
              <div className="border-t border-line bg-canvas">
                <Earlier id={id} version={one.version} as={opened.as} brain={brain} />
              </div>
            )}
          </li>
        ))}
      </ol>
      {history.hasNextPage && (
        <div className="border-t border-line px-4 py-2">
          <Button busy={history.isFetchingNextPage} onClick={() => void history.fetchNextPage()}>
            Show older ones
          </Button>
        </div>
      )}
      <Confirm
        open={restoring !== undefined}
        onClose={() => setRestoring(undefined)}
        title={`Restore version ${restoring ?? ""}?`}
        consequence={`Its text becomes version ${brain.version + 1}. The history and your unsaved text are kept.`}
        action="Restore"
        look="primary"
        run={async () => {
          if (restoring === undefined) return;
          client.setQueryData(keys.brain(id), await brains.restore(id, restoring, brain.version));
          setOpened(undefined);
          await client.invalidateQueries({ queryKey: keys.brainHistory(id) });
        }}
      />
    </Panel>
  );
}
