import { useState } from "react";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import { MakeDialog } from "~/ui/form-dialog";
import { TokenFields } from "~/ui/token-fields";

/** Makes a token for a program; it is shown once. */
export function TokenDialog({ workspace, onClose }: { workspace: string; onClose: () => void }) {
  const [asked, setAsked] = useState({ label: "", days: 30 });
  return (
    <MakeDialog
      title="New token"
      lead={`For a program that acts as you in ${workspace}.`}
      action="Make token"
      renews={keys.sessions}
      onClose={onClose}
      make={() =>
        api.post("/api/auth/sessions", { body: { label: asked.label.trim(), expires_in_days: asked.days } })
      }
      once={({ token }) => ({
        label: "Token",
        text: token,
        hint: "Shown only now. Send it as Authorization: Bearer.",
      })}
    >
      {(problem) => <TokenFields value={asked} days={[1, 7, 30, 90]} problem={problem} onChange={setAsked} />}
    </MakeDialog>
  );
}
