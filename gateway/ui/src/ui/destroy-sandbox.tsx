import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { keys } from "~/api/keys";
import { addressOf, destroySandbox, type Owner } from "~/api/sandboxes";
import type { Sandbox } from "~/api/types";
import { Button } from "./button";
import { Confirm } from "./dialog";
import { isolate } from "./isolate";
import { visible } from "./visible";

interface Props {
  owner: Owner;
  /** What the agent or the team is called. */
  name: string;
  sandbox: Pick<Sandbox, "state"> | null | undefined;
}

/** Ends a sandbox, after a question. */
export function DestroySandbox({ owner, name, sandbox }: Props) {
  const client = useQueryClient();
  const [open, setOpen] = useState(false);
  return (
    <>
      {sandbox && sandbox.state !== "destroying" && (
        <Button onClick={() => setOpen(true)}>Destroy sandbox</Button>
      )}
      <Confirm
        open={open}
        onClose={() => setOpen(false)}
        title={`Destroy the sandbox of ${isolate(visible(name).slice(0, 80))}?`}
        consequence="Running processes stop. Files in /workspace are saved."
        action="Destroy sandbox"
        run={async () => {
          await destroySandbox(owner);
          void client.invalidateQueries({ queryKey: addressOf(owner).key });
          if (owner.kind === "claw") void client.invalidateQueries({ queryKey: keys.claws, exact: true });
          void client.invalidateQueries({ queryKey: keys.quota });
        }}
      />
    </>
  );
}
