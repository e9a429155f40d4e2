// Several templates of the workspace are deleted at once.
import { useQueryClient } from "@tanstack/react-query";
import { keys } from "~/api/keys";
import type { TemplateBrief } from "~/api/teams";
import { renew } from "~/live/renew";
import { BulkDialog, countOf } from "~/ui/list/bulk";
import { visible } from "~/ui/visible";
import { remove } from "./queries";

export const TEMPLATES = ["template", "templates"] as const;

const LEADS = [
  "Nobody can create a team from it any more. Agents that were created from it stay unchanged.",
  "Nobody can create a team from them any more. Agents that were created from them stay unchanged.",
] as const;

/** Names the templates, and says what happens to their agents, before anything is deleted. */
export function DeleteDialog({ templates, onClose }: { templates: TemplateBrief[]; onClose: () => void }) {
  const client = useQueryClient();
  const count = countOf(templates.length, TEMPLATES);
  return (
    <BulkDialog
      title={`Delete ${count}`}
      lead={LEADS[templates.length === 1 ? 0 : 1]}
      targets={templates}
      nameOf={({ name }) => <bdi>{visible(name)}</bdi>}
      what={TEMPLATES}
      action={`Delete ${count}`}
      look="danger"
      done="Deleted"
      act={({ id }) => remove(id)}
      onClose={() => {
        void renew(client, { queryKey: keys.templates });
        onClose();
      }}
    />
  );
}
