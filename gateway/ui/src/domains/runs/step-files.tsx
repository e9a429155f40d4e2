// The files of a step's sandbox before and after it, and those that a fork begins with.
import type { FilesAt, RunStep, StartFiles } from "~/api/runs";
import { OwnerLink } from "~/ui/owner-link";
import { visible } from "~/ui/visible";

/** Enough of a digest to tell snapshots apart. */
const short = (digest: string) => digest.slice(0, 8);

const at = (files: FilesAt | null | undefined) =>
  files?.digest ? short(files.digest) : `not recorded${files?.missing ? ` (${visible(files.missing)})` : ""}`;

/** What the step's sandbox had when it began and when it ended, with the comparison of both. */
export function StepFiles({ step }: { step: RunStep }) {
  const { files } = step;
  if (!files) return null;
  const [before, after] = [files.began.snapshot_id, files.ended?.snapshot_id];
  return (
    <span className="block text-small text-fg-3" data-files={step.key}>
      Files: began with {at(files.began)}, ended with {at(files.ended)}
      {before && after && before !== after && (
        <>
          {". "}
          <OwnerLink
            owner={{ kind: files.owner_kind, id: files.owner_id }}
            part="files"
            files={{ snapshot: after, before }}
            className="underline"
          >
            Compare
          </OwnerLink>
        </>
      )}
      {before && before === after && ". Nothing changed"}
    </span>
  );
}

/** The choice in the dialog of a fork: which files its sandboxes begin with. */
export function ForkFiles({
  starts,
  without,
  onWithout,
}: {
  starts: StartFiles[];
  without: boolean;
  onWithout: (without: boolean) => void;
}) {
  if (starts.length === 0) return null;
  const lacking = starts.find((start) => !start.snapshot_id);
  return (
    <span className="mt-2 block">
      {lacking ? (
        <>
          The files of {visible(lacking.step ?? "the step")} are not there
          {lacking.missing && `: ${visible(lacking.missing)}`} Fork without files.
        </>
      ) : (
        <>
          Its {starts.length === 1 ? "sandbox begins" : "sandboxes begin"} with the files of{" "}
          {starts.map((start) => `${visible(start.step ?? "")} (${short(start.digest ?? "")})`).join(", ")}.
          The files that {starts.length === 1 ? "it has" : "they have"} now are saved as a snapshot first.
        </>
      )}
      <label className="mt-2 flex items-center gap-2">
        <input type="checkbox" checked={without} onChange={(event) => onWithout(event.target.checked)} />
        Fork without files: leave the sandboxes as they are
      </label>
    </span>
  );
}
