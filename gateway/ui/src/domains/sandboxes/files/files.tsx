import { useInfiniteQuery } from "@tanstack/react-query";
import { Download, FileDiff, History as HistoryIcon } from "lucide-react";
import { useEffect, type ReactNode } from "react";
import { useMay } from "~/api/may";
import type { Owner } from "~/api/sandboxes";
import type { Sandbox, Snapshot } from "~/api/types";
import { bytes } from "~/ui/bytes";
import { Button, buttonClass } from "~/ui/button";
import { Empty } from "~/ui/empty";
import { Panel } from "~/ui/panel";
import type { FilesChosen } from "~/ui/files-choice";
import { QueryView } from "~/ui/query-view";
import { filesOf } from "~/ui/sandbox-words";
import { Compare } from "./compare";
import { History, useMachineName } from "./history";
import { Preview } from "./preview";
import { PutFiles } from "./put";
import { folderAddress, historyQuery } from "./queries";
import { Restore } from "./restore";
import { beforeOf, firstShown, momentOf } from "./time-line";
import { FileTree } from "./tree-view";

interface Props extends FilesChosen {
  owner: Owner;
  sandbox: Sandbox | undefined;
  /** Said above files that are there. */
  note?: ReactNode;
  /** Shown in the place of files that are not there. */
  instead?: ReactNode;
}

function NotStored({ snapshot }: { snapshot: Snapshot }) {
  const machine = useMachineName();
  return (
    <Panel title="Files">
      <Empty title="These files are not on the gateway">
        Only {machine(snapshot.node_id)} has this snapshot ({filesOf(snapshot)}, {bytes(snapshot.bytes)}). The
        page can show its files when the machine has sent them to the gateway.
      </Empty>
    </Panel>
  );
}

function Browse({
  owner,
  snapshot,
  path,
  onChoose,
}: { snapshot: Snapshot; path: string | undefined } & Pick<Props, "owner" | "onChoose">) {
  return (
    <div className="grid min-w-0 items-start gap-4 md:grid-cols-[minmax(220px,300px)_minmax(0,1fr)]">
      <Panel title="Files" aside={`${filesOf(snapshot)}, ${bytes(snapshot.bytes)}`}>
        {snapshot.files === 0 && snapshot.bytes === 0 && (
          <p className="border-b border-line px-4 py-2 text-small text-fg-3">This snapshot has no file.</p>
        )}
        <FileTree
          owner={owner}
          snapshot={snapshot.id}
          path={path}
          onChoose={(next) => onChoose({ path: next })}
        />
      </Panel>
      {path ? (
        <Preview owner={owner} snapshot={snapshot.id} path={path} />
      ) : (
        <Panel title="No file is chosen">
          <p className="px-4 py-6 text-fg-2">
            Choose a file to read it. The audit log records who reads which file.
          </p>
        </Panel>
      )}
    </div>
  );
}

/** The files of a sandbox: their history, and those of one snapshot. */
export function FilesTab({ owner, sandbox, note, instead, choice, onChoose }: Props) {
  const history = useInfiniteQuery(historyQuery(owner));
  const snapshots = history.data?.pages.flatMap(({ items }) => items) ?? [];
  const chosen = choice.snapshot
    ? snapshots.find((one) => one.id === choice.snapshot)
    : firstShown(snapshots);
  const earlier = chosen && beforeOf(snapshots, chosen.id);
  const { hasNextPage, isFetching, isError, fetchNextPage } = history;
  // A link may name a snapshot of an earlier page.
  const further = choice.snapshot !== undefined && !chosen && hasNextPage && !isError;
  useEffect(() => {
    if (further && !isFetching) void fetchNextPage();
  }, [further, isFetching, fetchNextPage]);
  const put = (
    <PutFiles
      owner={owner}
      sandbox={sandbox}
      latest={snapshots[0]}
      onCompare={(before, after) => onChoose({ snapshot: after.id, before: before.id, path: undefined })}
    />
  );
  return (
    <QueryView query={history} what="the history of the files" rows={6}>
      {() =>
        snapshots.length === 0 ? (
          <div className="flex flex-col gap-4">
            {instead || (
              <>
                {note}
                <div className="rounded-panel border border-line bg-surface">
                  <Empty
                    title="No files are saved yet"
                    icon={<HistoryIcon size={28} strokeWidth={1.5} aria-hidden />}
                  >
                    Roost saves the files of the sandbox after each command that changes them. This page then
                    shows them.
                  </Empty>
                </div>
              </>
            )}
            {put}
          </div>
        ) : (
          <div className="grid min-w-0 items-start gap-4 lg:grid-cols-[280px_minmax(0,1fr)]">
            {note && <div className="lg:col-span-2">{note}</div>}
            <History
              snapshots={snapshots}
              chosen={chosen?.id}
              before={choice.before}
              beganWith={sandbox?.restored_from?.digest}
              onChoose={(snapshot) => onChoose({ snapshot })}
              older={{
                more: hasNextPage,
                busy: history.isFetchingNextPage,
                load: () => void fetchNextPage(),
              }}
            />
            <div className="flex min-w-0 flex-col gap-4">
              {chosen && !choice.before && (
                <Chosen
                  snapshot={chosen}
                  owner={owner}
                  sandbox={sandbox}
                  compare={
                    earlier && chosen.uploaded
                      ? () => onChoose({ snapshot: chosen.id, before: earlier.id, path: undefined })
                      : undefined
                  }
                />
              )}
              {chosen && choice.before && (
                <Compare
                  owner={owner}
                  snapshots={snapshots}
                  before={choice.before}
                  after={chosen.id}
                  path={choice.path}
                  onChoose={onChoose}
                />
              )}
              {chosen?.uploaded && !choice.before && (
                <Browse owner={owner} snapshot={chosen} path={choice.path} onChoose={onChoose} />
              )}
              {chosen && !chosen.uploaded && !choice.before && <NotStored snapshot={chosen} />}
              {!choice.before && put}
              {!chosen && !further && (
                <Panel title="Files">
                  <Empty
                    title="This snapshot is not kept any more"
                    action={
                      <Button onClick={() => onChoose({ snapshot: undefined })}>Show the latest</Button>
                    }
                  >
                    Roost keeps the latest snapshots, and those of runs as long as their results.
                  </Empty>
                </Panel>
              )}
            </div>
          </div>
        )
      }
    </QueryView>
  );
}

interface ChosenProps {
  owner: Owner;
  snapshot: Snapshot;
  sandbox: Sandbox | undefined;
  compare: (() => void) | undefined;
}

/** Which snapshot the page shows, and what can be done with it. */
function Chosen({ owner, snapshot, sandbox, compare }: ChosenProps) {
  const may = useMay()("sandboxes.use");
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
      <p className="min-w-0 grow text-fg-2">
        Files of {momentOf(snapshot)}{" "}
        <code className="text-small text-fg-3" title={snapshot.digest}>
          {snapshot.digest.slice(0, 12)}
        </code>
      </p>
      {may && snapshot.uploaded && snapshot.files > 0 && (
        <a
          href={folderAddress(owner, snapshot.id, "")}
          download={`workspace-${snapshot.digest.slice(0, 12)}.tar`}
          className={buttonClass("plain")}
        >
          <Download size={14} aria-hidden />
          Download all
        </a>
      )}
      {compare && (
        <Button icon={<FileDiff size={14} aria-hidden />} onClick={compare}>
          Compare with the one before
        </Button>
      )}
      <Restore owner={owner} snapshot={snapshot} sandbox={sandbox} />
    </div>
  );
}
