import { useState } from "react";
import { keys } from "~/api/keys";
import type { FreshInvitation, Role } from "~/api/types";
import { Choice, Field } from "~/ui/field";
import { MakeDialog } from "~/ui/form-dialog";
import { ReachNote } from "~/ui/reach";
import { sentence } from "~/ui/sentence";
import { invite } from "./queries";
import { givable, may } from "./words";

/** The gateway's own link where it knows its public address; else where this page is, which is right behind every proxy. */
const linkOf = ({ link, token }: FreshInvitation) =>
  URL.canParse(link) ? link : `${location.origin}/invitation#${token}`;

interface Props {
  workspace: string;
  own: Role;
  onClose: () => void;
}

/** Makes a link that lets one person into the workspace; it is shown once. */
export function InviteDialog({ workspace, own, onClose }: Props) {
  const [role, setRole] = useState<Role>("member");
  const [email, setEmail] = useState("");
  const [days, setDays] = useState("7");
  return (
    <MakeDialog
      title="Invite a member"
      action="Create link"
      renews={keys.invitations(workspace)}
      onClose={onClose}
      make={() => invite(workspace, { role, email: email.trim() || null, expires_in_days: Number(days) })}
      once={(made) => ({
        label: "Link",
        text: linkOf(made),
        hint: made.mailed
          ? "It was sent to the e-mail of the invitation. It works once and is shown only now."
          : "Send it to the person you invite. It works once and is shown only now.",
        note: <ReachNote text={linkOf(made)} problem={made.address_problem} who="Other people" />,
      })}
    >
      {(problem) => (
        <>
          <Choice
            label="Role"
            value={role}
            hint={may[role]}
            onChange={(event) => setRole(event.target.value as Role)}
          >
            {givable(own).map((one) => (
              <option key={one} value={one}>
                {sentence(one)}
              </option>
            ))}
          </Choice>
          <Field
            label="E-mail (optional)"
            type="email"
            autoComplete="off"
            value={email}
            hint="With an address, only its owner can use the link."
            error={problem?.field("/email")}
            onChange={(event) => setEmail(event.target.value)}
          />
          <Choice label="Expires in" value={days} onChange={(event) => setDays(event.target.value)}>
            <option value="1">1 day</option>
            <option value="7">7 days</option>
            <option value="30">30 days</option>
          </Choice>
        </>
      )}
    </MakeDialog>
  );
}
