import { useMutation, useMutationState, useQueryClient } from "@tanstack/react-query";
import { keys } from "~/api/keys";
import { asProblem, type Problem } from "~/api/problem";
import { claws, type ProvisionBody } from "./queries";

const KEY = ["provision"] as const;

interface Wanted {
  id: string;
  body: ProvisionBody;
}

/** Makes sandboxes. The work outlives the dialog that started it; `useProvisioning` shows it on the agent's page. */
export function useProvision() {
  const client = useQueryClient();
  const mutation = useMutation({
    mutationKey: KEY,
    mutationFn: ({ id, body }: Wanted) => claws.provision(id, body),
    onSettled: (sandbox, _error, { id }) => {
      if (sandbox) client.setQueryData(keys.sandbox(id), sandbox);
      void client.invalidateQueries({ queryKey: keys.claws, exact: true });
      void client.invalidateQueries({ queryKey: keys.claw(id) });
      void client.invalidateQueries({ queryKey: keys.quota });
    },
  });
  return {
    start: (id: string, body: ProvisionBody) => mutation.mutate({ id, body }),
    make: (id: string, body: ProvisionBody) => mutation.mutateAsync({ id, body }),
  };
}

/** The newest attempt to make this agent's sandbox, whichever part of the page started it. */
export function useProvisioning(id: string): { since: number | undefined; problem: Problem | undefined } {
  const attempts = useMutationState({
    filters: { mutationKey: KEY, predicate: (one) => (one.state.variables as Wanted | undefined)?.id === id },
    select: (one) => ({ status: one.state.status, error: one.state.error, at: one.state.submittedAt }),
  });
  const last = attempts.at(-1);
  return {
    since: last?.status === "pending" ? last.at : undefined,
    problem: last?.status === "error" ? asProblem(last.error) : undefined,
  };
}
