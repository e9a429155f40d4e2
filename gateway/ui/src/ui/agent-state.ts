// How an agent stands, in the words that every page uses. Only a machine can be offline.
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { waitingDoorsQuery } from "~/api/doors";
import { useMay } from "~/api/may";
import type { Claw, ClawStatus } from "~/api/types";
import type { Tone } from "./status";

export type AgentWord = "working" | "waiting" | "failed" | "ready";

export interface AgentState {
  tone: Tone;
  word: string;
  title: string;
}

/** In the order in which a person looks for them. */
export const agentStates: Record<AgentWord, AgentState> = {
  working: { tone: "running", word: "Working", title: "A step of a run or a command runs for it." },
  waiting: { tone: "waiting", word: "Waiting", title: "It has asked for an approval and waits for it." },
  failed: { tone: "failed", word: "Failed", title: "Its sandbox failed or is lost." },
  ready: { tone: "idle", word: "Ready", title: "It can be given work." },
};

type Known = { status: ClawStatus; sandbox?: { state: string } | null | undefined };

/** What a status of the gateway means for a person. An agent without a sandbox gets one when it has work. */
export function agentWord({ status, sandbox }: Known, waits: boolean): AgentWord {
  if (waits) return "waiting";
  if (status === "working") return "working";
  return sandbox?.state === "failed" || sandbox?.state === "lost" ? "failed" : "ready";
}

/** The word for each agent: with those that wait, where the person may see what is asked for. */
export function useAgentWord(): (claw: Pick<Claw, "id"> & Known) => AgentWord {
  const doors = useQuery({ ...waitingDoorsQuery, enabled: useMay()("doors.read") }).data;
  return useMemo(() => {
    const waiting = new Set((doors ?? []).map(({ agent_id }) => agent_id as string));
    return (claw) => agentWord(claw, waiting.has(claw.id));
  }, [doors]);
}
