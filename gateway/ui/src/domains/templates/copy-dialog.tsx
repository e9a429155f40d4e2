import { useMutation, useQueryClient } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState, type SubmitEvent } from "react";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import type { TeamTemplate } from "~/api/teams";
import { Button } from "~/ui/button";
import { DialogActions, Modal } from "~/ui/dialog";
import { Field } from "~/ui/field";
import { ProblemNote } from "~/ui/problem";
import { copy } from "./queries";

const route = getRouteApi("/shell/templates/$id");

/** A template of the workspace's own, from any other. */
export function CopyDialog({ template, onClose }: { template: TeamTemplate; onClose: () => void }) {
  const [key, setKey] = useState(`${template.key.slice(0, 35)}_own`);
  const [name, setName] = useState(template.name);
  const client = useQueryClient();
  const navigate = route.useNavigate();
  const make = useMutation({
    mutationFn: () => copy(template.id, key.trim(), name.trim()),
    onSuccess: async (made) => {
      onClose();
      void client.invalidateQueries({ queryKey: keys.templates });
      await navigate({ to: "/templates/$id", params: { id: made.id } });
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
      title="Copy the template"
      lead="The copy is the workspace's own. It begins as this one is now."
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field
          label="Name"
          required
          maxLength={100}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={problem?.field("/name")}
        />
        <Field
          label="Key"
          required
          maxLength={40}
          pattern="[a-z][a-z0-9_]*"
          autoComplete="off"
          spellCheck={false}
          hint="What programs call it: lower-case letters, digits and _. It cannot be changed."
          value={key}
          onChange={(event) => setKey(event.target.value)}
          error={problem?.field("/key")}
        />
        {problem && problem.fields.length === 0 && <ProblemNote problem={problem} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={make.isPending}>
            Make the copy
          </Button>
        </DialogActions>
      </form>
    </Modal>
  );
}
