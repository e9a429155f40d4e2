import type { ClawStatus, FallbackReason, SandboxState } from "~/api/types";
import type { Tone } from "~/ui/status";

interface State {
  tone: Tone;
  word: string;
}

export const clawStates: Record<ClawStatus, State> = {
  working: { tone: "running", word: "Working" },
  online: { tone: "done", word: "Online" },
  idle: { tone: "idle", word: "Idle" },
  offline: { tone: "offline", word: "Offline" },
};

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

export const words = {
  empty: "No agents yet",
  emptyWhy:
    "An agent does the work that you give it. It acts in its own isolated sandbox, which has no network and cannot see the machine.",
  noSandbox: "No sandbox yet",
  noSandboxWhy:
    "The sandbox is this agent's own isolated container. Roost creates it on the machine chosen in Fleet and checks its hardening before the first use.",
  lost: "This sandbox is lost: its machine no longer has it. Its processes have ended.",
  remove: "The agent is removed. Its history is kept.",
  purge: "Its sandbox, files and records are destroyed for good.",
  destroy: "Running processes stop. Files in /workspace are saved.",
};
