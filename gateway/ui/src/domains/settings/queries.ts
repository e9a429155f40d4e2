import { queryOptions } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { components } from "~/api/schema";

export const renameWorkspace = (id: string, name: string) =>
  api.patch("/api/workspaces/{id}", { path: { id }, body: { name } });

/** Only operators may. */
export const setPlan = (id: string, plan: string) =>
  api.patch("/api/workspaces/{id}", { path: { id }, body: { plan } });

export type PushPolicy = components["schemas"]["PushPolicy"];

export const pushPolicyQuery = (id: string) =>
  queryOptions({
    queryKey: keys.workspace(id),
    queryFn: ({ signal }) => api.get("/api/workspaces/{id}", { path: { id }, signal }),
    select: ({ push_policy }) => push_policy,
  });
export const setPushPolicy = (id: string, push_policy: PushPolicy) =>
  api.patch("/api/workspaces/{id}", { path: { id }, body: { push_policy } });

/** As the gateway was configured when it started; for operators. */
export const plansQuery = queryOptions({
  queryKey: keys.plans,
  queryFn: ({ signal }) => api.get("/api/ops/plans", { signal }),
});

/** `confirm` is its name, which the gateway compares as well. */
export const deleteWorkspace = (id: string, confirm: string) =>
  api.delete("/api/workspaces/{id}", { path: { id }, query: { confirm } });

/** Nothing tells of a change, so it is read when somebody looks. */
export const brokerQuery = queryOptions({
  queryKey: keys.broker,
  queryFn: ({ signal }) => api.get("/api/ops/broker", { signal }),
  staleTime: 0,
});

/** As the gateway was configured when it started. */
export const signInQuery = queryOptions({
  queryKey: keys.signIn,
  queryFn: ({ signal }) => api.get("/api/ops/sign-in", { signal }),
});
