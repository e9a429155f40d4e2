import { queryOptions } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { components } from "~/api/schema";

export const renameWorkspace = (id: string, name: string, version: number | undefined) =>
  api.patch("/api/workspaces/{id}", {
    path: { id },
    body: { name },
    ...(version !== undefined && { ifMatch: version }),
  });

/** Only operators may. */
export const setPlan = (id: string, plan: string) =>
  api.patch("/api/workspaces/{id}", { path: { id }, body: { plan } });

export type PushPolicy = components["schemas"]["PushPolicy"];
export type FilePolicy = components["schemas"]["FilePolicy"];
export type WorkflowPolicy = components["schemas"]["WorkflowPolicy"];
export type Workspace = components["schemas"]["Workspace"];
/** A setting that is absent stays. */
export interface Settings {
  push_policy?: PushPolicy;
  file_policy?: FilePolicy;
  workflow_policy?: WorkflowPolicy;
}

export const settingsQuery = (id: string) =>
  queryOptions({
    queryKey: keys.workspace(id),
    queryFn: ({ signal }) => api.get("/api/workspaces/{id}", { path: { id }, signal }),
  });
export const setSettings = (id: string, body: Settings, version: number) =>
  api.patch("/api/workspaces/{id}", { path: { id }, body, ifMatch: version });

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
