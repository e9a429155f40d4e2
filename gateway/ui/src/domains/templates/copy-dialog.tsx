import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { keys } from "~/api/keys";
import type { TeamTemplate } from "~/api/teams";
import { Field } from "~/ui/field";
import { MakeDialog } from "~/ui/form-dialog";
import { copy } from "./queries";

const route = getRouteApi("/shell/templates/$id");

/** A template of the workspace's own, from any other. */
export function CopyDialog({ template, onClose }: { template: TeamTemplate; onClose: () => void }) {
  const [key, setKey] = useState(`${template.key.slice(0, 35)}_own`);
  const [name, setName] = useState(template.name);
  const navigate = route.useNavigate();
  return (
    <MakeDialog
      title="Copy the template"
      lead="The copy belongs to the workspace. It begins with the current content of this template."
      action="Make the copy"
      renews={keys.templates}
      onClose={onClose}
      make={async () => {
        const made = await copy(template.id, key.trim(), name.trim());
        onClose();
        await navigate({ to: "/templates/$id", params: { id: made.id } });
      }}
    >
      {(problem) => (
        <>
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
            spellCheck="false"
            hint="The name that programs use: lower-case letters, digits and _. You cannot change it later."
            value={key}
            onChange={(event) => setKey(event.target.value)}
            error={problem?.field("/key")}
          />
        </>
      )}
    </MakeDialog>
  );
}
