import { useQueryClient } from "@tanstack/react-query";
import { FileDiff } from "lucide-react";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useMay } from "~/api/may";
import { asProblem, Problem } from "~/api/problem";
import type { Owner } from "~/api/sandboxes";
import type { Sandbox, Snapshot } from "~/api/types";
import { bytes, number } from "~/ui/bytes";
import { Button } from "~/ui/button";
import { Field, Tick } from "~/ui/field";
import { NarrowFold } from "~/ui/fold";
import { ProblemNote } from "~/ui/problem";
import type { Picked } from "~/ui/upload/picked";
import { Sending } from "~/ui/upload/sending";
import type { Entry } from "~/ui/upload/tar";
import { visible } from "~/ui/visible";
import { historyQuery, putFiles } from "./queries";

const part = () => import("~/ui/upload/upload-choice");
const DropArea = lazy(() => part().then(({ DropArea: area }) => ({ default: area })));

/** What the gateway takes at once. */
const MOST = 512 * 1024 * 1024;
const MOST_FILES = 50_000;

interface Props {
  owner: Owner;
  sandbox: Sandbox | undefined;
  latest: Snapshot | undefined;
  onCompare: (before: Snapshot, after: Snapshot) => void;
}

/** A folder keeps its name, so that its files do not mix with others. */
function entriesOf({ name, what }: Picked): Entry[] {
  if ("archive" in what) return [{ path: what.archive.name, file: what.archive }];
  return name === "files"
    ? what.folder
    : what.folder.map(({ path, file }) => ({ path: `${name}/${path}`, file }));
}

/** Puts files of this computer into the sandbox. The next snapshot has them, and shows what is new or changed. */
export function PutFiles({ owner, sandbox, latest, onCompare }: Props) {
  const client = useQueryClient();
  const may = useMay()("sandboxes.use");
  const [folder, setFolder] = useState("");
  const [replace, setReplace] = useState(false);
  const [percent, setPercent] = useState<number>();
  const [problem, setProblem] = useState<Problem>();
  const [done, setDone] = useState<{ folder: string; count: number; before: Snapshot | undefined }>();
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  if (!may || sandbox?.state !== "running") return null;
  const sending = percent !== undefined;
  const pick = async (picked: Picked) => {
    setProblem(undefined);
    setDone(undefined);
    const control = new AbortController();
    stop.current = control;
    try {
      const entries = entriesOf(picked);
      const archive = (await part()).pack(entries);
      if (archive.size > MOST || entries.length > MOST_FILES)
        throw new Problem({
          code: "too-large",
          status: 0,
          title: "These files are over a limit",
          detail: `At most ${number(MOST_FILES)} files and ${bytes(MOST)} go at once. Send them in parts.`,
        });
      setPercent(0);
      const put = await putFiles(owner, { folder, replace }, archive, {
        progress: setPercent,
        signal: control.signal,
      });
      setDone({ folder: put.folder, count: entries.length, before: latest });
      await client.invalidateQueries({ queryKey: historyQuery(owner).queryKey });
    } catch (error) {
      if (!control.signal.aborted) setProblem(asProblem(error));
    } finally {
      setPercent(undefined);
    }
  };
  const after = done && latest && latest.id !== done.before?.id ? latest : undefined;
  return (
    <NarrowFold id="put" title="Put files into the sandbox" summary="From this computer">
      <div className="flex flex-col gap-3 px-4 py-3">
        {/* A form: what was typed counts as typed when a session ends. */}
        <form onSubmit={(event) => event.preventDefault()} className="flex flex-wrap items-end gap-3">
          <Field
            label="Folder"
            autoComplete="off"
            spellCheck="false"
            placeholder="/workspace"
            value={folder}
            onChange={(event) => setFolder(event.target.value)}
            hint="Relative to the workspace. It is created if it is missing."
            error={problem?.field("folder")}
          />
          <Tick
            label="Replace files that exist"
            checked={replace}
            onChange={(event) => setReplace(event.currentTarget.checked)}
          />
        </form>
        <Suspense>
          <DropArea
            label="Files for the sandbox"
            second="files"
            most={MOST_FILES}
            disabled={sending}
            onPick={(picked) => void pick(picked)}
            onFail={(error) => setProblem(asProblem(error))}
          >
            {`Or drop files or a folder here. At most ${number(MOST_FILES)} files and ${bytes(MOST)} at once.`}
          </DropArea>
        </Suspense>
        <div role="status">
          {sending && (
            <Sending
              percent={percent}
              after="The sandbox unpacks the files."
              stop={() => stop.current?.abort()}
            />
          )}
          {done && (
            <p className="flex flex-wrap items-center gap-2">
              <span>
                {done.count === 1 ? "One file is" : `${number(done.count)} files are`} in{" "}
                <bdi>{visible(done.folder)}</bdi>.
                {!after && " The next snapshot will show what is new or changed."}
              </span>
              {after && done.before && (
                <Button
                  icon={<FileDiff size={14} aria-hidden />}
                  onClick={() => done.before && onCompare(done.before, after)}
                >
                  Show new and changed files
                </Button>
              )}
            </p>
          )}
          {problem && <ProblemNote problem={problem} />}
        </div>
      </div>
    </NarrowFold>
  );
}
