import { useQueryClient } from "@tanstack/react-query";
import { keys } from "~/api/keys";
import type { Claw } from "~/api/types";
import { renew } from "~/live/renew";
import { BulkDialog, countOf } from "~/ui/list/bulk";
import { claws } from "./queries";

export const AGENTS = ["agent", "agents"] as const;

/** Deletes agents, after their names were read. */
export function DeleteDialog({ agents, onClose }: { agents: Claw[]; onClose: () => void }) {
  const client = useQueryClient();
  const count = countOf(agents.length, AGENTS);
  return (
    <BulkDialog
      title={`Delete ${count}`}
      lead={
        agents.length === 1
          ? "The agent is removed. Its history is kept."
          : "The agents are removed. Their history is kept."
      }
      targets={agents}
      nameOf={({ name }) => <bdi>{name}</bdi>}
      what={AGENTS}
      action={`Delete ${count}`}
      look="danger"
      done="Deleted"
      act={({ id }) => claws.remove(id, false)}
      onClose={() => {
        void renew(client, { queryKey: keys.claws, exact: true });
        void renew(client, { queryKey: keys.quota });
        onClose();
      }}
    />
  );
}
