import { queryOptions } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import { workspacePath } from "~/api/members";
import type { BrokerNow, SignInNow, Workspace } from "~/api/types";

export const renameWorkspace = (id: string, name: string) =>
  api.patch<Workspace>(workspacePath(id), { name });

/** `confirm` is its name, which the gateway compares as well. */
export const deleteWorkspace = (id: string, confirm: string) =>
  api.delete<unknown>(workspacePath(id), { query: { confirm } });

/** Nothing tells of a change, so it is read when somebody looks. */
export const brokerQuery = queryOptions({
  queryKey: keys.broker,
  queryFn: ({ signal }) => api.get<BrokerNow>("/api/ops/broker", { signal }),
  staleTime: 0,
});

/** As the gateway was configured when it started. */
export const signInQuery = queryOptions({
  queryKey: keys.signIn,
  queryFn: ({ signal }) => api.get<SignInNow>("/api/ops/sign-in", { signal }),
});
