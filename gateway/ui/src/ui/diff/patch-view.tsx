import { useMemo, useState } from "react";
import { DiffLines, FileDiff } from "./file-diff";
import { countOf, patchFiles, type PatchFile } from "./patch";

/** A diff of more lines begins folded, so that its files can be seen. */
const MOST_OPEN = 2000;

function File({ file, begin }: { file: PatchFile; begin: boolean }) {
  const [open, setOpen] = useState(begin);
  return (
    <FileDiff path={file.path} {...countOf(file.lines)} open={open} onToggle={() => setOpen((now) => !now)}>
      <DiffLines lines={file.lines} />
    </FileDiff>
  );
}

/** A diff as git writes it, file by file. */
export function PatchView({ text, label }: { text: string; label: string }) {
  const files = useMemo(() => patchFiles(text), [text]);
  if (files.length === 0) return <p className="px-4 py-3 text-fg-2">No file differs.</p>;
  const lines = files.reduce((sum, file) => sum + file.lines.length, 0);
  return (
    // It scrolls, so it can be reached by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div role="region" aria-label={label} tabIndex={0} className="max-h-[60vh] overflow-auto px-4 py-3">
      {files.map((file, at) => (
        // A path may come twice in a text that an agent made.
        <File key={at} file={file} begin={files.length === 1 || lines <= MOST_OPEN} />
      ))}
    </div>
  );
}
