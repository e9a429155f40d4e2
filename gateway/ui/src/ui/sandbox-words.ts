// The words for sandboxes: their states, where they are, and how many files they have.
import type { FallbackReason, SandboxState, Snapshot } from "~/api/types";
import { number } from "./bytes";
import type { Tone } from "./status";

export interface State {
  tone: Tone;
  word: string;
}

export const sandboxStates: Record<SandboxState, State> = {
  provisioning: { tone: "moving", word: "Starting" },
  running: { tone: "running", word: "Running" },
  stopped: { tone: "paused", word: "Stopped" },
  lost: { tone: "failed", word: "Lost" },
  destroying: { tone: "moving", word: "Going away" },
  destroyed: { tone: "offline", word: "Gone" },
  failed: { tone: "failed", word: "Failed" },
};

export const fallbackReasons: Record<FallbackReason, string> = {
  node_offline: "it is offline",
  node_draining: "it takes no new sandboxes (draining)",
  node_paused: "its owner has paused it",
  node_deleted: "it is no longer paired",
};

/** A state that this page does not know yet is shown as it is named. */
export const stateOf = <T extends string>(states: Record<T, State>, state: T): State =>
  states[state] ?? { tone: "idle", word: state };

/** `1 file`, `1,204 files`. */
export function filesOf({ files }: Pick<Snapshot, "files">): string {
  return files === 1 ? "1 file" : `${number(files)} files`;
}
