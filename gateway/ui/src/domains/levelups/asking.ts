// The questions to a model that have no answer yet. They outlive the tab that sent them: a person may go to other pages.
import { gatewayNow } from "~/api/clock";
import type { QueryClient } from "@tanstack/react-query";
import { create } from "zustand";
import { newKey } from "~/api/client";
import { keys } from "~/api/keys";
import { asProblem, type Problem } from "~/api/problem";
import { levelUps } from "./queries";
import type { Subject } from "./subject";

/** One question. It has a problem when it ended without a proposal. */
export interface Asking {
  since: number;
  /** The same for each try that may have arrived, so the gateway makes one proposal. */
  key: string;
  problem?: Problem;
}

const useAll = create<{ by: Record<string, Asking> }>(() => ({ by: {} }));

const set = (id: string, asking: Asking | undefined) =>
  useAll.setState(({ by: { [id]: _before, ...others } }) => ({
    by: asking ? { ...others, [id]: asking } : others,
  }));

/** The question about an agent or a team, while it has no answer or after it failed. */
export const useAsking = (id: string): Asking | undefined => useAll(({ by }) => by[id]);

/** Asks for a proposal. Answers with its id, or with nothing when there is none. */
export async function propose(client: QueryClient, subject: Subject): Promise<string | undefined> {
  const before = useAll.getState().by[subject.id];
  if (before && !before.problem) return undefined;
  // An answer that got lost on its way may have been a proposal.
  const key = before?.problem?.status === 0 ? before.key : newKey();
  const asking = { since: gatewayNow(), key };
  set(subject.id, asking);
  try {
    const { proposal_id } = await levelUps.propose(subject, key);
    await client.invalidateQueries({ queryKey: keys.levelUps });
    set(subject.id, undefined);
    return proposal_id;
  } catch (error) {
    set(subject.id, { ...asking, problem: asProblem(error) });
    return undefined;
  }
}
