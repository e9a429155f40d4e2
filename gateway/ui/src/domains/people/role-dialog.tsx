import { Confirm } from "~/ui/dialog";
import { isolate } from "~/ui/isolate";
import { sentence } from "~/ui/sentence";
import type { Role } from "~/api/types";
import { roleChange } from "./words";

interface Props {
  /** The member by name. */
  name: string;
  you: boolean;
  from: Role;
  to: Role;
  onClose: () => void;
  /** Sends it. The page shows what came of it, so the dialog does not wait. */
  onChange: () => void;
}

/** Says what a person gains or loses with another role, before it is given. */
export function RoleDialog({ name, you, from, to, onClose, onChange }: Props) {
  const { can, items } = roleChange(from, to);
  return (
    <Confirm
      open
      onClose={onClose}
      title={
        you
          ? `Change your role to ${sentence(to)}?`
          : `Change the role of ${isolate(name)} to ${sentence(to)}?`
      }
      consequence={
        <>
          {you ? "You" : "This person"} {can ? "can then also:" : "can then no longer:"}
          <ul className="mt-1 flex list-disc flex-col gap-0.5 pl-5">
            {items.map((item) => (
              <li key={item}>{item}</li>
            ))}
          </ul>
        </>
      }
      action="Change role"
      look={can ? "primary" : "danger"}
      run={async () => onChange()}
    />
  );
}
