// One word for a machine, wherever it is shown.
import type { Node } from "~/api/types";
import type { Tone } from "./status";

export interface NodeState {
  tone: Tone;
  word: string;
  why: string;
}

/** What decides the word: of a machine, or of its line in a list, where being connected is not said. */
export type Stateful = Pick<Node, "status"> & {
  connection?: Node["connection"] | null;
  drained?: boolean;
  emptied_at?: string | null;
  paused?: boolean;
  problems?: (string | { code: string })[];
};

export const codesOf = (node: Stateful): string[] =>
  (node.problems ?? []).map((problem) => (typeof problem === "string" ? problem : problem.code));

/** Whether a new sandbox would really be made there. */
export const takesWork = ({ status, connection, paused }: Stateful): boolean =>
  status === "online" && (connection ?? "connected") === "connected" && !paused;

/** One word for a machine, the most pressing first. */
export function nodeState(node: Stateful): NodeState {
  const away = node.status === "offline" || node.connection === "disconnected";
  if (node.status === "pending")
    return { tone: "waiting", word: "Pairing", why: "Waiting for the machine to join" };
  if (codesOf(node).some((code) => code.includes("version"))) {
    return { tone: "warning", word: "Incompatible", why: "The daemon's version does not fit this gateway" };
  }
  if (node.status === "draining" || node.drained) {
    if (away)
      return { tone: "offline", word: "Draining, away", why: "Takes no new sandboxes, and is not connected" };
    if (node.emptied_at)
      return { tone: "paused", word: "Empty", why: "Takes no new sandboxes, and has nothing that is needed" };
    return node.drained
      ? { tone: "paused", word: "Drained", why: "Takes no new sandboxes, and reports that it has none left" }
      : { tone: "moving", word: "Draining", why: "Takes no new sandboxes; those on it now continue" };
  }
  if (away) return { tone: "offline", word: "Offline", why: "Not connected. This alone destroys nothing" };
  if (node.connection === "suspect") {
    return {
      tone: "warning",
      word: "Suspect",
      why: "No report for longer than usual; new sandboxes go elsewhere",
    };
  }
  if (node.paused)
    return { tone: "paused", word: "Paused", why: "Its owner has paused it on the machine itself" };
  return { tone: "running", word: "Online", why: "Connected and taking work" };
}
