import { queryOptions } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { Login } from "~/api/types";

export const setupQuery = queryOptions({
  queryKey: keys.setup,
  queryFn: ({ signal }) => api.get<{ owner_ready: boolean }>("/api/setup", { signal }),
});

export type Proof = { one_time: string } | { email: string; password: string };

export function signIn(proof: Proof): Promise<Login> {
  return api.post<Login>("/api/auth/login", proof);
}

export function setPassword(next: string): Promise<void> {
  return api.post<void>("/api/auth/password", { new: next });
}
