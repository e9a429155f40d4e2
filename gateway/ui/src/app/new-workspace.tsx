import { useState } from "react";
import { api } from "~/api/client";
import { Field } from "~/ui/field";
import { MakeDialog } from "~/ui/form-dialog";

interface Props {
  onClose: () => void;
  onMade: (id: string) => Promise<unknown>;
}

export function NewWorkspace({ onClose, onMade }: Props) {
  const [name, setName] = useState("");
  return (
    <MakeDialog
      title="New workspace"
      lead="You own it. It has its own agents, machines and people."
      action="Create workspace"
      onClose={onClose}
      make={async () => {
        const made = await api.post("/api/workspaces", { body: { name: name.trim() } });
        onClose();
        await onMade(made.id);
      }}
    >
      {(problem) => (
        <Field
          label="Name"
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={problem?.field("/name")}
        />
      )}
    </MakeDialog>
  );
}
