import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Pencil } from "lucide-react";
import { useState } from "react";
import { useMay } from "~/api/may";
import { keys } from "~/api/keys";
import type { Claw, ClawChange, NewClaw } from "~/api/types";
import { Button, IconButton } from "~/ui/button";
import { DestroySandbox } from "~/ui/destroy-sandbox";
import { Confirm, Modal } from "~/ui/dialog";
import { Tick } from "~/ui/field";
import { MoreMenu } from "~/ui/more-menu";
import { AgentForm } from "./agent-form";
import { claws, clawQuery } from "./queries";
import { words } from "./words";

/** In a change, an emptied field is one that is taken away. */
function emptyIsNull(body: NewClaw): ClawChange {
  return Object.fromEntries(Object.entries(body).map(([key, value]) => [key, value === "" ? null : value]));
}

/** What can be done to an agent as a whole. */
export function AgentActions({ claw }: { claw: Claw }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const may = useMay();
  const [open, setOpen] = useState<"edit" | "remove">();
  const [purge, setPurge] = useState(false);
  const close = () => setOpen(undefined);
  const refresh = () => {
    void client.invalidateQueries({ queryKey: keys.claws });
    void client.invalidateQueries({ queryKey: keys.quota });
  };
  const remove = async () => {
    await claws.remove(claw.id, purge);
    // Gone from the list before it is shown: a row that goes under the pointer would stay, struck through.
    client.setQueryData<Claw[]>(keys.claws, (list) => list?.filter(({ id }) => id !== claw.id));
    await navigate({ to: "/agents" });
    client.removeQueries({ queryKey: keys.claw(claw.id) });
    refresh();
  };
  return (
    <>
      <IconButton label="Change the agent" onClick={() => setOpen("edit")}>
        <Pencil size={15} aria-hidden />
      </IconButton>
      <MoreMenu>
        <DestroySandbox owner={{ kind: "claw", id: claw.id }} name={claw.name} sandbox={claw.sandbox} />
        <Button onClick={() => setOpen("remove")}>Delete the agent</Button>
      </MoreMenu>
      <Modal open={open === "edit"} onClose={close} title={`Change ${claw.name}`}>
        <AgentForm
          start={claw}
          read={() => client.fetchQuery({ ...clawQuery(claw.id), staleTime: 0 })}
          action="Save"
          onCancel={close}
          save={async (body, { version }) => {
            client.setQueryData(keys.claw(claw.id), await claws.change(claw.id, emptyIsNull(body), version));
            void client.invalidateQueries({ queryKey: keys.claws, exact: true });
            close();
          }}
        />
      </Modal>
      <Confirm
        open={open === "remove"}
        onClose={close}
        title={`Delete ${claw.name}?`}
        consequence={words.remove}
        action="Delete agent"
        typed={purge ? claw.name : undefined}
        run={remove}
      >
        {may("claws.purge") && (
          <div className="mt-4">
            <Tick
              label="Destroy everything it has, for good"
              hint={words.purge}
              checked={purge}
              onChange={(event) => setPurge(event.target.checked)}
            />
          </div>
        )}
      </Confirm>
    </>
  );
}
