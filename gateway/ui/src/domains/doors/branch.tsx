import { FileDiff } from "lucide-react";
import { useState } from "react";
import type { Door } from "~/api/doors";
import { Button } from "~/ui/button";
import { CopyText } from "~/ui/copy";
import { RunDiff } from "~/ui/diff/run-diff";
import { visible } from "~/ui/visible";
import { counted } from "./words";

interface Props {
  branch: NonNullable<Door["branch"]>;
  /** The diff is open: before it is approved, everything must have been on screen. */
  whole?: boolean;
}

/** The branch that is sent. The gateway wrote this; the agent chose nothing of it. */
export function Branch({ branch, whole = false }: Props) {
  const [open, setOpen] = useState(whole);
  return (
    <section aria-label="What is sent" className="min-w-0 rounded-control border border-line">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-3 py-2">
        <CopyText text={branch.branch} what="branch" />
        <code className="text-fg-3">{branch.commit.slice(0, 12)}</code>
        <span className="text-small text-fg-2">
          {counted(branch.commits, "commit")}, {counted(branch.files, "file")}
          {branch.into && (
            <>
              , into <bdi className="font-mono">{visible(branch.into)}</bdi>
            </>
          )}
        </span>
        <span className="grow" />
        {!whole && (
          <Button
            icon={<FileDiff size={14} aria-hidden />}
            aria-expanded={open}
            onClick={() => setOpen((before) => !before)}
          >
            {open ? "Hide the diff" : "Show the diff"}
          </Button>
        )}
      </div>
      {open && <RunDiff run={branch.run_id} branch={branch.branch} commit={branch.commit} />}
    </section>
  );
}
