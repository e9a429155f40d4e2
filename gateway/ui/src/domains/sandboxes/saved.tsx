import { useQuery } from "@tanstack/react-query";
import type { Owner } from "~/api/sandboxes";
import type { Sandbox, Snapshot } from "~/api/types";
import { bytes } from "~/ui/bytes";
import { Notice } from "~/ui/notice";
import { filesOf } from "~/ui/sandbox-words";
import { Ago } from "~/ui/time";
import { snapshotsQuery } from "./files/queries";

/** Where a snapshot is: in the gateway's store, or only on the machine that took it. */
export function placeOf(snapshot: Snapshot, sandbox: Pick<Sandbox, "node_id" | "node_name">): string {
  if (snapshot.uploaded) return "any machine can restore them";
  return snapshot.node_id === sandbox.node_id
    ? `only ${sandbox.node_name} has them`
    : "only the machine of an earlier sandbox has them";
}

function LeftOut({ lines }: { lines: string[] }) {
  if (lines.length === 0) return null;
  return (
    <details>
      <summary className="w-fit rounded-control text-small text-fg-3 hover:text-fg">
        {lines.length === 1 ? "1 item is not saved" : `${lines.length} items are not saved`}
      </summary>
      <ul className="mt-1 list-disc pl-5 text-small text-fg-2">
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </details>
  );
}

/** When the files of a sandbox were saved last, what it began with, and what stands in the way. */
export function Saved({ sandbox }: { sandbox: Sandbox }) {
  const { snapshot, restored_from: from, snapshot_problem: problem, detail } = sandbox;
  return (
    <section
      aria-label="Saved files"
      className="flex flex-col gap-1 rounded-panel border border-line bg-surface px-4 py-3"
    >
      {snapshot ? (
        <p>
          Saved <Ago at={snapshot.taken_at} />, {filesOf(snapshot)} ({bytes(snapshot.bytes)}):{" "}
          {placeOf(snapshot, sandbox)}.
        </p>
      ) : (
        <p className="text-fg-3">No files are saved yet. Roost saves them after each command.</p>
      )}
      {from && (
        <p className="text-small text-fg-2">
          This sandbox started with the files of <Ago at={from.taken_at} />.
        </p>
      )}
      {sandbox.state === "running" && detail && <Notice tone="warning">{detail}</Notice>}
      {problem && (
        <Notice tone="warning">The files could not be saved: {problem}. Earlier saved files are kept.</Notice>
      )}
      {snapshot && <LeftOut lines={snapshot.left_out} />}
    </section>
  );
}

/** The files of an agent or a team without a sandbox. */
export function SavedBefore({ owner }: { owner: Owner }) {
  const latest = useQuery(snapshotsQuery(owner)).data?.items[0];
  if (!latest) return null;
  return (
    <p className="text-fg-2">
      Its files were saved <Ago at={latest.taken_at} /> ({filesOf(latest)}, {bytes(latest.bytes)}).{" "}
      {latest.uploaded
        ? "A new sandbox starts with them."
        : "A new sandbox on the same machine starts with them."}
    </p>
  );
}
