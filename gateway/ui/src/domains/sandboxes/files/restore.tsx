import { useQueryClient } from "@tanstack/react-query";
import { RotateCcw } from "lucide-react";
import { useState } from "react";
import { useMay } from "~/api/may";
import { addressOf, destroySandbox, useProvision, type Owner } from "~/api/sandboxes";
import type { Sandbox, Snapshot } from "~/api/types";
import { bytes } from "~/ui/bytes";
import { Button } from "~/ui/button";
import { Confirm } from "~/ui/dialog";
import { Notice } from "~/ui/notice";
import { filesOf } from "~/ui/sandbox-words";
import { useMachineName } from "./history";
import { momentOf } from "./time-line";

/** A sandbox in one of these states has no container that would have to end first. */
const OVER: readonly string[] = ["lost", "failed", "destroyed"];

export const mustEnd = (sandbox: Pick<Sandbox, "state"> | undefined): boolean =>
  sandbox !== undefined && !OVER.includes(sandbox.state);

/** What a new sandbox started with, in a sentence. */
export function saidOf(snapshot: Snapshot, made: Sandbox | undefined): { sure: boolean; text: string } {
  const files = `the files of ${momentOf(snapshot)} (${filesOf(snapshot)})`;
  if (made?.restored_from?.digest === snapshot.digest)
    return { sure: true, text: `The new sandbox started with ${files}.` };
  const why = made?.detail ? ` ${made.detail}` : "";
  return {
    sure: false,
    text: `The gateway does not confirm that the new sandbox started with ${files}.${why}`,
  };
}

interface Props {
  owner: Owner;
  snapshot: Snapshot;
  sandbox: Sandbox | undefined;
}

function Consequences({ snapshot, ends }: { snapshot: Snapshot; ends: boolean }) {
  const machine = useMachineName();
  return (
    <ul className="flex list-disc flex-col gap-1 pl-5">
      {ends && (
        <li>
          The current sandbox ends and its processes stop. Its files are saved first, as the latest snapshot.
        </li>
      )}
      <li>
        A new sandbox starts with the files of {momentOf(snapshot)}: {filesOf(snapshot)},{" "}
        {bytes(snapshot.bytes)}.
      </li>
      <li>The history is kept, so every other snapshot can be restored later.</li>
      {snapshot.left_out.length > 0 && (
        <li>
          The snapshot does not have{" "}
          {snapshot.left_out.length === 1 ? "one item" : `${snapshot.left_out.length} items`}:{" "}
          {snapshot.left_out.slice(0, 3).join("; ")}
          {snapshot.left_out.length > 3 && "; and more"}.
        </li>
      )}
      {!snapshot.uploaded && (
        <li>Only {machine(snapshot.node_id)} has these files, so the new sandbox must run there.</li>
      )}
    </ul>
  );
}

/** Begins a sandbox with the files of a snapshot, and says what was restored. */
export function Restore({ owner, snapshot, sandbox }: Props) {
  const client = useQueryClient();
  const may = useMay()("sandboxes.use");
  const { make } = useProvision();
  const [open, setOpen] = useState(false);
  const [said, setSaid] = useState<ReturnType<typeof saidOf>>();
  const ends = mustEnd(sandbox);
  const run = async () => {
    setSaid(undefined);
    if (ends) {
      await destroySandbox(owner);
      // A sandbox that could not be made leaves its owner without one, which the page must show.
      void client.invalidateQueries({ queryKey: addressOf(owner).key });
    }
    const made = await make(owner, { restore: snapshot.id });
    setSaid(saidOf(snapshot, made));
  };
  return (
    <>
      {may && (
        <Button icon={<RotateCcw size={14} aria-hidden />} onClick={() => setOpen(true)}>
          Restore these files
        </Button>
      )}
      <div role="status" className="basis-full empty:hidden">
        {said && <Notice tone={said.sure ? "info" : "warning"}>{said.text}</Notice>}
      </div>
      <Confirm
        open={open}
        onClose={() => setOpen(false)}
        title="Restore these files?"
        consequence={<Consequences snapshot={snapshot} ends={ends} />}
        action={ends ? "Replace the sandbox" : "Create the sandbox"}
        look={ends ? "danger" : "primary"}
        run={run}
      />
    </>
  );
}
