// What the pages of level-ups request.
import { queryOptions } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { LevelUpBrief } from "~/api/levelups";
import type { Subject } from "./subject";

const of = ({ kind, id }: Subject) => (kind === "agent" ? { agent_id: id } : { team_id: id });

const decidedAt = ({ applied_at, created_at }: LevelUpBrief) => applied_at ?? created_at;

/** The proposals that were decided, newest first. */
export const decidedQuery = (subject: Subject) =>
  queryOptions({
    queryKey: [...keys.levelUps, "decided", subject.kind, subject.id],
    queryFn: async ({ signal }) => {
      const ask = (status: "applied" | "rejected") =>
        api.get("/api/level-up-proposals", { query: { ...of(subject), status }, signal });
      const [applied, rejected] = await Promise.all([ask("applied"), ask("rejected")]);
      return [...applied, ...rejected].toSorted((a, b) => decidedAt(b).localeCompare(decidedAt(a)));
    },
  });

export const levelUpQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.levelUps, "one", id],
    queryFn: ({ signal }) => api.get("/api/level-up-proposals/{id}", { path: { id }, signal }),
  });

/** The agent whose instructions an item replaces. */
export const clawQuery = (id: string) =>
  queryOptions({
    queryKey: keys.claw(id),
    queryFn: ({ signal }) => api.get("/api/claws/{id}", { path: { id }, signal }),
  });

/** The brain that an item replaces. */
export const brainQuery = (id: string) =>
  queryOptions({
    queryKey: keys.brain(id),
    queryFn: ({ signal }) => api.get("/api/claws/{id}/brain", { path: { id }, signal }),
  });

/** The skills that an item adds to. No event reports a change of them, so each visit requests them. */
export const agentSkillsQuery = (id: string) =>
  queryOptions({
    queryKey: [...keys.claw(id), "skills"],
    queryFn: ({ signal }) => api.get("/api/claws/{id}/skills", { path: { id }, signal }),
    staleTime: 0,
  });

export const levelUps = {
  propose: ({ kind, id }: Subject, idempotencyKey: string) =>
    kind === "agent"
      ? api.post("/api/claws/{id}/level-up", { path: { id }, idempotencyKey })
      : api.post("/api/teams/{id}/level-up", { path: { id }, idempotencyKey }),
  apply: (id: string, approved_item_ids: string[]) =>
    api.post("/api/level-up-proposals/{id}/apply", { path: { id }, body: { approved_item_ids } }),
  reject: (id: string) => api.post("/api/level-up-proposals/{id}/reject", { path: { id } }),
};
