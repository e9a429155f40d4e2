// Level-ups: proposals that improve an agent or a team. Several pages show which ones wait for a person.
import { queryOptions } from "@tanstack/react-query";
import { api } from "./client";
import { keys } from "./keys";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type LevelUp = Schemas["LevelUpProposal"];
export type LevelUpBrief = Schemas["LevelUpProposalBrief"];
export type LevelUpItem = Schemas["LevelUpItem"];
export type LevelUpKind = Schemas["LevelUpItemKind"];
export type LevelUpStatus = Schemas["LevelUpStatus"];
export type LevelUpEvidence = Schemas["LevelUpEvidence"];

/** All proposals of the workspace that wait for a decision, newest first. A workspace has at most a hundred. */
export const pendingLevelUpsQuery = queryOptions({
  queryKey: [...keys.levelUps, "pending"],
  queryFn: ({ signal }) => api.get("/api/level-up-proposals", { signal }),
});
