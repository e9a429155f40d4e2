import { useQuery } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";
import { clawsQuery } from "~/api/claws";
import type { AppConnection, Claw } from "~/api/types";
import { apart } from "~/ui/apart";
import { Button } from "~/ui/button";
import { DialogActions, Modal } from "~/ui/dialog";
import { Choice } from "~/ui/field";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { visible } from "~/ui/visible";
import { ConnectDialog } from "./connect-dialog";

interface Props {
  /** All connections of the workspace. */
  list: AppConnection[];
  onClose: () => void;
}

/** Connects an agent that is chosen first, because a connection belongs to one agent. */
export function ConnectAny({ list, onClose }: Props) {
  const claws = useQuery(clawsQuery);
  const [id, setId] = useState("");
  const [chosen, setChosen] = useState<Claw>();
  const agents = (claws.data ?? [])
    .filter((claw) => !claw.deleted_at)
    .toSorted((a, b) => a.name.localeCompare(b.name, "en", { numeric: true }));
  if (chosen)
    return (
      <ConnectDialog claw={chosen} has={list.filter((one) => one.agent_id === chosen.id)} onClose={onClose} />
    );
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setChosen(agents.find((claw) => claw.id === id));
  };
  return (
    <Modal open onClose={onClose} title="Connect an app" lead="A connection belongs to one agent.">
      {claws.isPending && <Loading what="agents" rows={2} />}
      {claws.isError && !claws.data && (
        <Failed error={claws.error} retry={() => void claws.refetch()} className="" />
      )}
      {claws.data && (
        <form onSubmit={submit}>
          <Choice label="Agent" required value={id} onChange={(event) => setId(event.target.value)}>
            <option value="">Choose an agent</option>
            {[...apart(agents.map(({ id, name }) => [id, visible(name)] as const))].map(([id, name]) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Choice>
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" disabled={!id}>
              Continue
            </Button>
          </DialogActions>
        </form>
      )}
    </Modal>
  );
}
