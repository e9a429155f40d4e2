import { queryOptions } from "@tanstack/react-query";
import { all, api } from "~/api/client";
import { keys } from "~/api/keys";
import type { components } from "~/api/schema";

type Schemas = components["schemas"];
export type RuntimeConfig = Schemas["AgentRuntimeConfig"];
export type Compartments = Schemas["AgentCompartments"];
export type ClawSkills = Schemas["ClawSkills"];
export type ClawSkill = Schemas["ClawSkill"];
export type AgentToken = Schemas["AgentToken"];
export type FreshToken = Schemas["FreshAgentToken"];

const at = (id: string, rest: string) => `/api/claws/${encodeURIComponent(id)}${rest}`;
const key = (id: string, part: string) => [...keys.claw(id), part] as const;

// A change of its team or of a skill is not told as a change of the agent, so each visit asks.
export const configQuery = (id: string) =>
  queryOptions({
    queryKey: key(id, "runtime-config"),
    queryFn: ({ signal }) => api.get<RuntimeConfig>(at(id, "/runtime-config"), { signal }),
    staleTime: 0,
  });

export const compartmentsQuery = (id: string) =>
  queryOptions({
    queryKey: key(id, "compartments"),
    queryFn: ({ signal }) => api.get<Compartments>(at(id, "/compartments"), { signal }),
    staleTime: 0,
  });

export const skillsOf = (id: string) =>
  queryOptions({
    queryKey: key(id, "skills"),
    queryFn: ({ signal }) => api.get<ClawSkills>(at(id, "/skills"), { signal }),
    staleTime: 0,
  });

export const tokensOf = (id: string) =>
  queryOptions({
    queryKey: key(id, "tokens"),
    queryFn: ({ signal }) => all<AgentToken>(at(id, "/tokens"), {}, signal),
    staleTime: 0,
  });

const skill = (id: string, one: string) => at(id, `/skills/${encodeURIComponent(one)}`);

export const choose = (id: string, one: string, include: boolean) =>
  api.put<void>(skill(id, one), { include });
export const takeBack = (id: string, one: string) => api.delete<void>(skill(id, one));

export const makeToken = (id: string, label: string, days: number) =>
  api.post<FreshToken>(at(id, "/tokens"), { label, expires_in_days: days });
export const revoke = (id: string, token: string) =>
  api.delete<void>(at(id, `/tokens/${encodeURIComponent(token)}`));
