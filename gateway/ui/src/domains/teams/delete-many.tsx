// Several teams are deleted at once.
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { keys } from "~/api/keys";
import { useMay } from "~/api/may";
import type { Team } from "~/api/teams";
import { renew } from "~/live/renew";
import { Tick } from "~/ui/field";
import { BulkDialog, countOf } from "~/ui/list/bulk";
import { visible } from "~/ui/visible";
import { remove } from "./queries";

export const TEAMS = ["team", "teams"] as const;

const LEADS = [
  {
    runs: "The team is deleted. You can still read its runs. A team with an open run cannot be deleted.",
    agents: "Its agents stay and keep their brains.",
  },
  {
    runs: "The teams are deleted. You can still read their runs. A team with an open run cannot be deleted.",
    agents: "Their agents stay and keep their brains.",
  },
] as const;

/** Names the teams, and says what happens to their agents, before anything is deleted. */
export function DeleteDialog({ teams, onClose }: { teams: Team[]; onClose: () => void }) {
  const client = useQueryClient();
  const purges = useMay()("claws.purge");
  const [agents, setAgents] = useState(false);
  const count = countOf(teams.length, TEAMS);
  const lead = LEADS[teams.length === 1 ? 0 : 1];
  return (
    <BulkDialog
      title={`Delete ${count}`}
      lead={purges ? lead.runs : `${lead.runs} ${lead.agents}`}
      targets={teams}
      nameOf={({ name }) => <bdi>{visible(name)}</bdi>}
      what={TEAMS}
      action={`Delete ${count}`}
      look="danger"
      done="Deleted"
      act={({ id }) => remove(id, purges && agents)}
      choice={
        purges && (
          <Tick
            label={teams.length === 1 ? "Delete its agents as well" : "Delete their agents as well"}
            hint="Only agents that were made for such a team and belong to no other team are deleted. The others stay and keep their brains."
            checked={agents}
            onChange={(event) => setAgents(event.target.checked)}
          />
        )
      }
      onClose={() => {
        void renew(client, { queryKey: keys.teams });
        void renew(client, { queryKey: keys.claws, exact: true });
        void renew(client, { queryKey: keys.quota });
        onClose();
      }}
    />
  );
}
