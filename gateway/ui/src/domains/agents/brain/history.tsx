import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { keys } from "~/api/keys";
import type { Brain, BrainCause, BrainVersion } from "~/api/types";
import { Button } from "~/ui/button";
import { bytes } from "~/ui/bytes";
import { Confirm } from "~/ui/dialog";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Ago } from "~/ui/time";
import { DiffView } from "./diff-view";
import { brains, historyQuery, versionQuery } from "./queries";

const CAUSES: Record<BrainCause, string> = {
  edit: "written",
  seed: "seeded",
  consolidation: "put in order",
  restore: "taken back",
};

function told(one: BrainVersion): string {
  const cause = one.cause ? (CAUSES[one.cause] ?? one.cause) : "written";
  const from = one.restored_from ? ` from version ${one.restored_from}` : "";
  const by = one.author?.name || one.author?.email;
  return `${cause}${from}${by ? ` by ${by}` : ""}`;
}

/** An earlier version against the present one. */
function Compared({ id, version, brain }: { id: string; version: number; brain: Brain }) {
  const earlier = useQuery(versionQuery(id, version));
  if (earlier.isPending) return <Loading what={`version ${version}`} rows={3} />;
  if (!earlier.data) return <Failed error={earlier.error} retry={() => void earlier.refetch()} />;
  return (
    <DiffView
      before={earlier.data.agent_md}
      after={brain.agent_md}
      label={`What changed from version ${version} to version ${brain.version}`}
    />
  );
}

export function History({ id, brain, mayWrite }: { id: string; brain: Brain; mayWrite: boolean }) {
  const client = useQueryClient();
  const history = useInfiniteQuery(historyQuery(id));
  const [compared, setCompared] = useState<number>();
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
            <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 px-4 py-2">
              <div className="min-w-0">
                <span className="font-[550]">Version {one.version}</span>{" "}
                <span className="text-fg-2">{told(one)}</span>
                <div className="text-small text-fg-3">
                  {bytes(one.bytes)}, <Ago at={one.at} />
                </div>
              </div>
              {one.version === brain.version ? (
                <span className="text-small text-fg-3">the present one</span>
              ) : (
                <div className="flex gap-2">
                  <Button
                    aria-expanded={compared === one.version}
                    aria-label={`Compare version ${one.version} with the present one`}
                    onClick={() => setCompared(compared === one.version ? undefined : one.version)}
                  >
                    Compare
                  </Button>
                  {mayWrite && (
                    <Button
                      aria-label={`Take back version ${one.version}`}
                      onClick={() => setRestoring(one.version)}
                    >
                      Take back
                    </Button>
                  )}
                </div>
              )}
            </div>
            {compared === one.version && one.version !== brain.version && (
              <div className="border-t border-line bg-canvas">
                <Compared id={id} version={one.version} brain={brain} />
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
        title={`Take version ${restoring ?? ""} back?`}
        consequence={`Its text becomes version ${brain.version + 1}. Nothing of the history is lost, and what you typed and did not save is kept.`}
        action="Take back"
        look="primary"
        run={async () => {
          if (restoring === undefined) return;
          client.setQueryData(keys.brain(id), await brains.restore(id, restoring, brain.version));
          setCompared(undefined);
          await client.invalidateQueries({ queryKey: keys.brainHistory(id) });
        }}
      />
    </Panel>
  );
}
