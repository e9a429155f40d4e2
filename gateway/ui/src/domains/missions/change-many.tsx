// Several missions are paused, resumed or cancelled at once.
import { useQueryClient } from "@tanstack/react-query";
import { keys } from "~/api/keys";
import type { Mission, MissionStatus } from "~/api/missions";
import type { Look } from "~/ui/button";
import { renew } from "~/live/renew";
import { BulkDialog, countOf } from "~/ui/list/bulk";
import { visible } from "~/ui/visible";
import { setStatus } from "./queries";
import { isFinal } from "./words";

export const MISSIONS = ["mission", "missions"] as const;

export type Change = "pause" | "resume" | "cancel";
type Standing = Pick<Mission, "status" | "phases">;

interface Words {
  verb: string;
  status: MissionStatus;
  fits: (mission: Standing) => boolean;
  /** What happens to one, and to several. */
  lead: readonly [string, string];
  /** Why a mission is left out, for one and for several. */
  not: readonly [string, string];
  done: string;
  look: Look;
}

const failed = ({ phases }: Standing) => phases.some(({ status }) => status === "failed");

export const CHANGES: Record<Change, Words> = {
  pause: {
    verb: "Pause",
    status: "paused",
    fits: ({ status }) => status === "running",
    lead: [
      "Its runs pause, and no further phase begins. You can resume it.",
      "Their runs pause, and no further phase begins. You can resume them.",
    ],
    not: ["is not running", "are not running"],
    done: "Paused",
    look: "primary",
  },
  resume: {
    verb: "Resume",
    status: "running",
    fits: (mission) => mission.status === "paused" && !failed(mission),
    lead: ["Its runs go on.", "Their runs go on."],
    not: ["is not paused, or has a failed phase", "are not paused, or have a failed phase"],
    done: "Resumed",
    look: "primary",
  },
  cancel: {
    verb: "Cancel",
    status: "cancelled",
    fits: ({ status }) => !isFinal(status),
    lead: [
      "Its runs are cancelled, and no further phase begins. The results of its phases are kept. You cannot undo this.",
      "Their runs are cancelled, and no further phase begins. The results of their phases are kept. You cannot undo this.",
    ],
    not: ["has ended already", "have ended already"],
    done: "Cancelled",
    look: "danger",
  },
};

/** Those of the selected that the change applies to. */
export const fitting = <T extends Standing>(missions: T[], change: Change): T[] =>
  missions.filter(CHANGES[change].fits);

/** Why the others are left out, in a sentence. */
export function leftOut(missions: Standing[], change: Change): string {
  const count = missions.length - fitting(missions, change).length;
  return count > 0 ? `${count} of the ${missions.length} ${CHANGES[change].not[count === 1 ? 0 : 1]}.` : "";
}

interface Props {
  change: Change;
  missions: Mission[];
  onClose: () => void;
}

/** Says what the change does and to which missions, before it is made. */
export function ChangeDialog({ change, missions, onClose }: Props) {
  const client = useQueryClient();
  const { verb, status, lead, done, look } = CHANGES[change];
  const targets = fitting(missions, change);
  const count = countOf(targets.length, MISSIONS);
  return (
    <BulkDialog
      title={targets.length > 0 ? `${verb} ${count}` : `Nothing to ${change}`}
      lead={[targets.length > 0 && lead[targets.length === 1 ? 0 : 1], leftOut(missions, change)]
        .filter(Boolean)
        .join(" ")}
      targets={targets}
      nameOf={({ title }) => <bdi>{visible(title)}</bdi>}
      what={MISSIONS}
      action={`${verb} ${count}`}
      look={look}
      keep={targets.length === 1 ? "Keep it" : "Keep them"}
      done={done}
      act={({ id }) => setStatus(id, status)}
      onClose={() => {
        void renew(client, { queryKey: keys.missions });
        onClose();
      }}
    />
  );
}
