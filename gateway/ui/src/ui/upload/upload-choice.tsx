import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { asProblem, Problem } from "~/api/problem";
import { createUpload, uploadLimitsQuery, type Upload, type UploadBounds } from "~/api/uploads";
import { bytes, number } from "~/ui/bytes";
import { Button } from "~/ui/button";
import { ProblemNote } from "~/ui/problem";
import { visible } from "~/ui/visible";
import { DropArea } from "./drop-area";
import type { Picked } from "./picked";
import { Sending } from "./sending";
import { pack } from "./tar";

interface Props {
  upload: Upload | undefined;
  onChange: (upload: Upload | undefined) => void;
}

const tooMuch = (detail: string) =>
  new Problem({ code: "too-large", status: 0, title: "These files are over a limit", detail });

type Bounds = Pick<UploadBounds, "files" | "archive_bytes" | "unpacked_bytes">;

const boundsText = ({ files, archive_bytes, unpacked_bytes }: Bounds) =>
  `Or drop a folder or an archive here. At most ${number(files)} files, ${bytes(archive_bytes)} sent and ${bytes(unpacked_bytes)} unpacked. The folder .git is left out.`;

/** The archive of what was picked. Fails when it is over a limit, before anything is sent. */
function packed({ what }: Picked, limits: UploadBounds): Blob {
  if ("archive" in what) {
    if (what.archive.size > limits.archive_bytes)
      throw tooMuch(
        `The archive has ${bytes(what.archive.size)}, the most is ${bytes(limits.archive_bytes)}.`,
      );
    return what.archive;
  }
  const sum = what.folder.reduce((before, { file }) => before + file.size, 0);
  if (what.folder.length === 0)
    throw new Problem({
      code: "empty",
      status: 0,
      title: "There are no files",
      detail: "The folder is empty.",
    });
  if (what.folder.length > limits.files)
    throw tooMuch(`The folder has more than ${number(limits.files)} files. Choose a smaller part of it.`);
  const archive = pack(what.folder);
  const most = Math.min(limits.unpacked_bytes, limits.archive_bytes);
  if (sum > most || archive.size > limits.archive_bytes)
    throw tooMuch(`The files have ${bytes(sum)}, the most is ${bytes(most)}. Pack them, or choose fewer.`);
  return archive;
}

/** Files that a run begins with, in place of a repository. They are sent at once; the run comes later. */
export function UploadChoice({ upload, onChange }: Props) {
  const limits = useQuery(uploadLimitsQuery);
  const [percent, setPercent] = useState<number>();
  const [problem, setProblem] = useState<Problem>();
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const sending = percent !== undefined;
  const pick = async (picked: Picked) => {
    if (!limits.data) return;
    setProblem(undefined);
    const control = new AbortController();
    stop.current = control;
    try {
      const archive = packed(picked, limits.data);
      setPercent(0);
      const options = { progress: setPercent, signal: control.signal };
      onChange(await createUpload(picked.name, archive, options));
    } catch (error) {
      if (!control.signal.aborted) setProblem(asProblem(error));
    } finally {
      setPercent(undefined);
    }
  };
  if (upload)
    return (
      <p className="flex flex-wrap items-center gap-2">
        <span>
          Works on <bdi>{visible(upload.name)}</bdi>: {number(upload.files)}{" "}
          {upload.files === 1 ? "file" : "files"}, {bytes(upload.bytes)}
        </span>
        <Button look="quiet" icon={<X size={14} aria-hidden />} onClick={() => onChange(undefined)}>
          Without these files
        </Button>
      </p>
    );
  return (
    <>
      <DropArea
        label="Files from this computer"
        second="archive"
        most={limits.data?.files ?? 0}
        disabled={sending || !limits.data}
        onPick={(picked) => void pick(picked)}
        onFail={(error) => setProblem(asProblem(error))}
      >
        {limits.data && boundsText(limits.data)}
        {/* The room of the sentence, so that nothing moves when the limits arrive. */}
        {limits.isPending && (
          <span aria-hidden className="invisible">
            {boundsText({ files: 50_000, archive_bytes: 268_435_456, unpacked_bytes: 1_073_741_824 })}
          </span>
        )}
        {limits.isError && "The limits of uploads could not be read. Reload the page."}
      </DropArea>
      <div role="status">
        {sending && (
          <Sending
            percent={percent}
            after="The gateway checks the files."
            stop={() => stop.current?.abort()}
          />
        )}
        {problem && <ProblemNote problem={problem} />}
      </div>
    </>
  );
}

// One part of the page for all uploads: it is loaded when the first of them is shown.
export { DropArea } from "./drop-area";
export { send } from "./send";
export { pack } from "./tar";
export default UploadChoice;
