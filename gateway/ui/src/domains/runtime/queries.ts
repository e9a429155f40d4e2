import { queryOptions } from "@tanstack/react-query";
import { all, api } from "~/api/client";
import { keys } from "~/api/keys";
import type { components } from "~/api/schema";

import type { RuntimeConfig } from "~/api/runtime";

export { configQuery, type RuntimeConfig } from "~/api/runtime";

type Schemas = components["schemas"];
export type Compartments = Schemas["AgentCompartments"];
export type ClawSkills = Schemas["ClawSkills"];
export type ClawSkill = Schemas["ClawSkill"];
export type AgentToken = Schemas["AgentToken"];

const key = (id: string, part: string) => [...keys.claw(id), part] as const;

// As the configuration: no event tells of a change, so each visit asks.
export const compartmentsQuery = (id: string) =>
  queryOptions({
    queryKey: key(id, "compartments"),
    queryFn: ({ signal }) => api.get("/api/claws/{id}/compartments", { path: { id }, signal }),
    staleTime: 0,
  });

export const skillsOf = (id: string) =>
  queryOptions({
    queryKey: key(id, "skills"),
    queryFn: ({ signal }) => api.get("/api/claws/{id}/skills", { path: { id }, signal }),
    staleTime: 0,
  });

export const tokensOf = (id: string) =>
  queryOptions({
    queryKey: key(id, "tokens"),
    queryFn: ({ signal }) => all("/api/claws/{id}/tokens", { path: { id }, signal }),
    staleTime: 0,
  });

export type RightsChange = Schemas["AgentRuntimeConfigChange"];
export const configure = ({ agent_id, version }: RuntimeConfig, body: RightsChange) =>
  api.patch("/api/claws/{id}/runtime-config", { path: { id: agent_id }, body, ifMatch: version });

export const choose = (id: string, one: string, include: boolean) =>
  api.put("/api/claws/{id}/skills/{skill_id}", { path: { id, skill_id: one }, body: { include } });
export const takeBack = (id: string, one: string) =>
  api.delete("/api/claws/{id}/skills/{skill_id}", { path: { id, skill_id: one } });

export const makeToken = (id: string, label: string, days: number) =>
  api.post("/api/claws/{id}/tokens", { path: { id }, body: { label, expires_in_days: days } });
export const revoke = (id: string, token: string) =>
  api.delete("/api/claws/{id}/tokens/{token_id}", { path: { id, token_id: token } });
