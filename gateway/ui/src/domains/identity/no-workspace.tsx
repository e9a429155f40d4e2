import { useRouter } from "@tanstack/react-router";
import { useState, type ReactNode, type SubmitEvent } from "react";
import { Button } from "~/ui/button";
import { Field } from "~/ui/field";
import { words } from "./words";

/** The token of an invitation, out of its link or by itself. */
export function invitationToken(text: string): string | undefined {
  return /(?:^|#)(rit_[A-Za-z0-9_-]+)\s*$/.exec(text.trim())?.[1];
}

/** For somebody who belongs to no workspace: what happened, and the ways in again. */
export function NoWorkspace({ children }: { children?: ReactNode }) {
  const router = useRouter();
  const [link, setLink] = useState("");
  const [wrong, setWrong] = useState(false);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const token = invitationToken(link);
    setWrong(token === undefined);
    if (token) router.history.push(`/invitation#${token}`);
  };
  return (
    <div className="flex flex-col gap-4">
      <p className="text-fg-2">{words.noWorkspaceWhy}</p>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Field
          label="Invitation link"
          required
          autoComplete="off"
          spellCheck="false"
          className="font-mono"
          value={link}
          onChange={(event) => setLink(event.target.value)}
          error={wrong ? words.noInvitation : undefined}
        />
        <Button type="submit" look="primary" className="h-9 w-full">
          Open the invitation
        </Button>
      </form>
      {children}
    </div>
  );
}
