// The changed files of a run without a repository. A run with one shows the diff of its commits.
import { FileDiff } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { Run } from "~/api/runs";
import type { Owner } from "~/api/sandboxes";
import { Button } from "~/ui/button";
import { textLink } from "~/ui/class";
import { OwnerLink, useOwners } from "~/ui/owner-link";
import { Panel } from "~/ui/panel";
import { isOver } from "~/ui/run-state";
import { visible } from "~/ui/visible";
import { changedIn, type ChangedIn } from "./changed";

/** What differs between two snapshots: another part of the page draws it. */
export type DrawChanges = (owner: Owner, before: string, after: string) => ReactNode;

interface Props {
  one: ChangedIn;
  /** Whether the files are shown without a click. */
  shown: boolean;
  ended: boolean;
  draw: DrawChanges;
}

/** Why there is nothing to compare, or nothing to see in it. */
function whyNot({ before, after, missing }: ChangedIn, ended: boolean): string | undefined {
  if (before && after) return before === after ? "No file changed." : undefined;
  if (missing)
    return `The files ${before ? "after" : "before"} the run were not recorded. ${visible(missing)}`;
  return ended ? "The files of this sandbox were not recorded." : "The files are recorded after each step.";
}

function InSandbox({ one, shown, ended, draw }: Props) {
  const { owner, before, after } = one;
  const [chosen, setChosen] = useState<boolean>();
  const open = chosen ?? shown;
  const name = useOwners()(owner.id)?.name;
  const said =
    owner.kind === "mission"
      ? "the mission"
      : visible(name ?? `a deleted ${owner.kind === "team" ? "team" : "agent"}`);
  const none = whyNot(one, ended);
  const snapshots = after !== undefined && { snapshot: after, ...(before && before !== after && { before }) };
  return (
    <section aria-label={`Sandbox of ${said}`} className="border-t border-line first:border-0">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-4 py-3">
        <p className="min-w-0 flex-1 basis-56 break-words">
          Sandbox of{" "}
          {name !== undefined || owner.kind === "mission" ? (
            <OwnerLink
              owner={owner}
              part="files"
              {...(snapshots && { files: snapshots })}
              className={textLink}
            >
              <bdi>{said}</bdi>
            </OwnerLink>
          ) : (
            said
          )}
          {none && <span className="block text-fg-2">{none}</span>}
        </p>
        {!none && (
          <Button
            icon={<FileDiff size={14} aria-hidden />}
            aria-expanded={open}
            onClick={() => setChosen(!open)}
          >
            {open ? "Hide changed files" : "Show changed files"}
          </Button>
        )}
      </div>
      {!none && open && before && after && (
        <div className="border-t border-line">{draw(owner, before, after)}</div>
      )}
    </section>
  );
}

/** What the run changed in each sandbox, from its first step to its last one. */
export function ChangedFiles({ run, draw }: { run: Run; draw: DrawChanges }) {
  const all = changedIn(run);
  if (all.length === 0) return null;
  const ended = isOver(run.status);
  return (
    <Panel title="Changes" aside={all.length === 1 ? undefined : `${all.length} sandboxes`}>
      {all.map((one) => (
        <InSandbox key={one.owner.id} one={one} shown={ended && all.length === 1} ended={ended} draw={draw} />
      ))}
      <p className="border-t border-line px-4 py-2 text-small text-fg-3">
        This compares the files when the first step began with those when the last one ended. Changes of other
        people and runs in the same sandbox are included.
      </p>
    </Panel>
  );
}
