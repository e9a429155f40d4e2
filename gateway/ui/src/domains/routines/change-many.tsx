// Several routines are paused, resumed or deleted at once.
import { useQueryClient } from "@tanstack/react-query";
import { keys } from "~/api/keys";
import { changeRoutine, deleteRoutine, type Routine } from "~/api/routines";
import { renew } from "~/live/renew";
import type { Look } from "~/ui/button";
import { BulkDialog, countOf } from "~/ui/list/bulk";
import { visible } from "~/ui/visible";

export const ROUTINES = ["routine", "routines"] as const;

export type Change = "pause" | "resume" | "delete";
type Standing = Pick<Routine, "enabled" | "state">;

interface Words {
  verb: string;
  fits: (routine: Standing) => boolean;
  /** What happens to one, and to several. */
  lead: readonly [string, string];
  /** Why a routine is left out, for one and for several. */
  not: readonly [string, string];
  done: string;
  look: Look;
  /** No version is sent: each change is the same whatever else was changed, and each start writes a version. */
  act: (id: string) => Promise<unknown>;
}

export const CHANGES: Record<Change, Words> = {
  pause: {
    verb: "Pause",
    fits: ({ enabled, state }) => enabled && state !== "done",
    lead: [
      "It does not start until you resume it. What it started goes on.",
      "They do not start until you resume them. What they started goes on.",
    ],
    not: ["is paused or has ended already", "are paused or have ended already"],
    done: "Paused",
    look: "primary",
    act: (id) => changeRoutine(id, { enabled: false }),
  },
  resume: {
    verb: "Resume",
    fits: ({ enabled }) => !enabled,
    lead: ["It starts again at its next due time.", "They start again at their next due times."],
    not: ["is not paused", "are not paused"],
    done: "Resumed",
    look: "primary",
    act: (id) => changeRoutine(id, { enabled: true }),
  },
  delete: {
    verb: "Delete",
    fits: () => true,
    lead: [
      "The routine and its journal are deleted. What it started goes on. You cannot undo this.",
      "The routines and their journals are deleted. What they started goes on. You cannot undo this.",
    ],
    not: ["", ""],
    done: "Deleted",
    look: "danger",
    act: deleteRoutine,
  },
};

/** Those of the selected that the change applies to. */
export const fitting = <T extends Standing>(routines: T[], change: Change): T[] =>
  routines.filter(CHANGES[change].fits);

/** Why the others are left out, in a sentence. */
export function leftOut(routines: Standing[], change: Change): string {
  const count = routines.length - fitting(routines, change).length;
  return count > 0 ? `${count} of the ${routines.length} ${CHANGES[change].not[count === 1 ? 0 : 1]}.` : "";
}

interface Props {
  change: Change;
  routines: Routine[];
  onClose: () => void;
}

/** Says what the change does and to which routines, before it is made. */
export function ChangeDialog({ change, routines, onClose }: Props) {
  const client = useQueryClient();
  const { verb, lead, done, look, act } = CHANGES[change];
  const targets = fitting(routines, change);
  const count = countOf(targets.length, ROUTINES);
  return (
    <BulkDialog
      title={targets.length > 0 ? `${verb} ${count}` : `Nothing to ${change}`}
      lead={[targets.length > 0 && lead[targets.length === 1 ? 0 : 1], leftOut(routines, change)]
        .filter(Boolean)
        .join(" ")}
      targets={targets}
      nameOf={({ name }) => <bdi>{visible(name)}</bdi>}
      what={ROUTINES}
      action={`${verb} ${count}`}
      look={look}
      done={done}
      act={({ id }) => act(id)}
      onClose={() => {
        void renew(client, { queryKey: keys.routines });
        onClose();
      }}
    />
  );
}
