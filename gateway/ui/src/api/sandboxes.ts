// Sandboxes with their saved files. Each belongs to an agent or to a team, and both have the same routes.
import {
  queryOptions,
  useMutation,
  useMutationState,
  useQueryClient,
  type QueryKey,
} from "@tanstack/react-query";
import { api } from "./client";
import { keys } from "./keys";
import { asProblem, Problem } from "./problem";
import type { components } from "./schema";
import type { Sandbox } from "./types";

/** Whose a sandbox is. */
export interface Owner {
  kind: components["schemas"]["SandboxOwnerKind"];
  id: string;
}

const ROOTS = { claw: "/api/claws/{id}", team: "/api/teams/{id}", mission: "/api/missions/{id}" } as const;

interface Address {
  /** What the paths of its routes begin with. */
  at: (typeof ROOTS)[Owner["kind"]];
  path: { id: string };
  /** What its names in the cache begin with. */
  key: QueryKey;
}

/** Where the API and the cache have everything of an owner's sandbox. */
export const addressOf = ({ kind, id }: Owner): Address => ({
  at: ROOTS[kind],
  path: { id },
  key: kind === "claw" ? keys.claw(id) : [...keys.teamSandboxes, id],
});

/** The sandbox of an owner, or null where it has none. */
export function sandboxQuery(owner: Owner) {
  const { at, path, key } = addressOf(owner);
  return queryOptions({
    queryKey: [...key, "sandbox"],
    queryFn: async ({ signal }): Promise<Sandbox | null> => {
      try {
        return (await api.get(`${at}/sandbox`, { path, signal })) ?? null;
      } catch (error) {
        if (error instanceof Problem && (error.code === "no-sandbox" || error.status === 404)) return null;
        throw error;
      }
    },
  });
}

export type ProvisionBody = components["schemas"]["NewSandbox"];

export const destroySandbox = (owner: Owner) => {
  const { at, path } = addressOf(owner);
  return api.delete(`${at}/sandbox`, { path });
};

const KEY = ["provision"] as const;

interface Wanted {
  owner: Owner;
  body: ProvisionBody;
}

/** Makes sandboxes. The work outlives the dialog that started it; `useProvisioning` shows it on the owner's page. */
export function useProvision() {
  const client = useQueryClient();
  const mutation = useMutation({
    mutationKey: KEY,
    mutationFn: ({ owner, body }: Wanted) => {
      const { at, path } = addressOf(owner);
      return api.post(`${at}/sandbox`, { path, body });
    },
    onSettled: (sandbox, _error, { owner }) => {
      if (sandbox) client.setQueryData(sandboxQuery(owner).queryKey, sandbox);
      if (owner.kind === "claw") void client.invalidateQueries({ queryKey: keys.claws, exact: true });
      void client.invalidateQueries({ queryKey: addressOf(owner).key });
      void client.invalidateQueries({ queryKey: keys.quota });
    },
  });
  return {
    start: (owner: Owner, body: ProvisionBody) => mutation.mutate({ owner, body }),
    make: (owner: Owner, body: ProvisionBody) => mutation.mutateAsync({ owner, body }),
  };
}

/** The newest attempt to make this sandbox, whichever part of the page started it. */
export function useProvisioning({ id }: Owner): { since: number | undefined; problem: Problem | undefined } {
  const attempts = useMutationState({
    filters: {
      mutationKey: KEY,
      predicate: (one) => (one.state.variables as Wanted | undefined)?.owner.id === id,
    },
    select: (one) => ({ status: one.state.status, error: one.state.error, at: one.state.submittedAt }),
  });
  const last = attempts.at(-1);
  return {
    since: last?.status === "pending" ? last.at : undefined,
    problem: last?.status === "error" ? asProblem(last.error) : undefined,
  };
}
