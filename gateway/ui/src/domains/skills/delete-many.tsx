// Several skills of the workspace are deleted at once.
import { useQueryClient } from "@tanstack/react-query";
import { keys } from "~/api/keys";
import { renew } from "~/live/renew";
import { BulkDialog, countOf } from "~/ui/list/bulk";
import { visible } from "~/ui/visible";
import { remove, type SkillBrief } from "./queries";

export const SKILLS = ["skill", "skills"] as const;

const LEADS = [
  "Roles and agents that have it continue without it, or with the built-in skill of the same name.",
  "Roles and agents that have them continue without them, or with the built-in skills of the same names.",
] as const;

/** Names the skills, and says what happens to those who have them, before anything is deleted. */
export function DeleteDialog({ skills, onClose }: { skills: SkillBrief[]; onClose: () => void }) {
  const client = useQueryClient();
  const count = countOf(skills.length, SKILLS);
  return (
    <BulkDialog
      title={`Delete ${count}`}
      lead={LEADS[skills.length === 1 ? 0 : 1]}
      targets={skills}
      nameOf={({ title }) => <bdi>{visible(title)}</bdi>}
      what={SKILLS}
      action={`Delete ${count}`}
      look="danger"
      done="Deleted"
      act={({ id }) => remove(id)}
      onClose={() => {
        void renew(client, { queryKey: keys.skills });
        onClose();
      }}
    />
  );
}
