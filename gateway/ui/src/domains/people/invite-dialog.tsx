import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import type { Role } from "~/api/types";
import { Button } from "~/ui/button";
import { CopyButton } from "~/ui/copy";
import { DialogActions, Modal } from "~/ui/dialog";
import { Choice, Field } from "~/ui/field";
import { ProblemNote } from "~/ui/problem";
import { sentence } from "~/ui/sentence";
import { invite } from "./queries";
import { givable, may } from "./words";

/** Where the page itself is: right behind every proxy, also where no public address is configured. */
const linkOf = (token: string) => `${location.origin}/invitation#${token}`;

function Made({ link, onClose }: { link: string; onClose: () => void }) {
  return (
    <>
      <p className="mb-3 text-fg-2">
        Send this link to the person you invite. It works once and is shown only now.
      </p>
      <Field
        label="Link"
        readOnly
        value={link}
        className="font-mono"
        onFocus={(event) => event.target.select()}
      />
      <DialogActions>
        <CopyButton text={link} label="Copy link" />
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </>
  );
}

export function InviteDialog({
  workspace,
  own,
  onClose,
}: {
  workspace: string;
  own: Role;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const [role, setRole] = useState<Role>("member");
  const [email, setEmail] = useState("");
  const [days, setDays] = useState("7");
  const make = useMutation({
    mutationFn: () => invite(workspace, { role, email: email.trim() || null, expires_in_days: Number(days) }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.invitations(workspace) }),
  });
  const problem = make.isError ? asProblem(make.error) : undefined;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <Modal open onClose={onClose} title="Invite somebody">
      {make.data ? (
        <Made link={linkOf(make.data.token)} onClose={onClose} />
      ) : (
        <form onSubmit={submit} className="flex flex-col gap-4">
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
          <Choice label="Good for" value={days} onChange={(event) => setDays(event.target.value)}>
            <option value="1">1 day</option>
            <option value="7">7 days</option>
            <option value="30">30 days</option>
          </Choice>
          {problem && problem.fields.length === 0 && <ProblemNote problem={problem} />}
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" busy={make.isPending}>
              Make link
            </Button>
          </DialogActions>
        </form>
      )}
    </Modal>
  );
}
