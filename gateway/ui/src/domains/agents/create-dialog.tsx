import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { keys } from "~/api/keys";
import { useProvision } from "~/api/sandboxes";
import type { NewClaw } from "~/api/types";
import { Modal } from "~/ui/dialog";
import { Tick } from "~/ui/field";
import { AgentForm } from "./agent-form";
import { claws } from "./queries";

const BLANK: NewClaw = { name: "" };

export function CreateDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [sandbox, setSandbox] = useState(true);
  const { start } = useProvision();
  const save = async (body: NewClaw) => {
    const claw = await claws.create(body);
    client.setQueryData(keys.claw(claw.id), claw);
    void client.invalidateQueries({ queryKey: keys.claws, exact: true });
    void client.invalidateQueries({ queryKey: keys.quota });
    if (sandbox) start({ kind: "claw", id: claw.id }, {});
    await navigate({ to: "/claws/$id", params: { id: claw.id }, search: sandbox ? { app: "sandbox" } : {} });
  };
  return (
    <Modal open={open} onClose={onClose} title="New agent">
      <AgentForm start={BLANK} action="Create agent" onCancel={onClose} save={save}>
        <Tick
          label="Make its sandbox right away"
          checked={sandbox}
          onChange={(event) => setSandbox(event.target.checked)}
        />
      </AgentForm>
    </Modal>
  );
}
