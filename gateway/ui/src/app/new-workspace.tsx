import { useMutation } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";
import { api } from "~/api/client";
import { asProblem } from "~/api/problem";
import { Button } from "~/ui/button";
import { DialogActions, Modal } from "~/ui/dialog";
import { Field } from "~/ui/field";
import { ProblemNote } from "~/ui/problem";

interface Props {
  onClose: () => void;
  onMade: (id: string) => Promise<unknown>;
}

export function NewWorkspace({ onClose, onMade }: Props) {
  const [name, setName] = useState("");
  const make = useMutation({
    mutationFn: async () => {
      const made = await api.post<{ id: string }>("/api/workspaces", { name: name.trim() });
      onClose();
      await onMade(made.id);
    },
  });
  const problem = make.isError ? asProblem(make.error) : undefined;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <Modal
      open
      onClose={onClose}
      title="New workspace"
      lead="You own it. Its agents, machines and people are its own."
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field
          label="Name"
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={problem?.field("/name")}
        />
        {problem && problem.fields.length === 0 && <ProblemNote problem={problem} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={make.isPending}>
            Create workspace
          </Button>
        </DialogActions>
      </form>
    </Modal>
  );
}
