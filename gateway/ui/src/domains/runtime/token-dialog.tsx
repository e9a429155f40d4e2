import { useState } from "react";
import { keys } from "~/api/keys";
import { isolate } from "~/ui/isolate";
import { MakeDialog } from "~/ui/form-dialog";
import { TokenFields } from "~/ui/token-fields";
import { visible } from "~/ui/visible";
import { makeToken } from "./queries";

/** Makes a token for a program of the agent's own; it is shown once. */
export function TokenDialog({ agent, name, onClose }: { agent: string; name: string; onClose: () => void }) {
  const [asked, setAsked] = useState({ label: "", days: 90 });
  return (
    <MakeDialog
      title="New token of the agent"
      lead={`A program with this token can call the tools that ${isolate(visible(name).slice(0, 80))} itself may use.`}
      action="Create token"
      renews={[...keys.claw(agent), "tokens"]}
      onClose={onClose}
      make={() => makeToken(agent, asked.label.trim(), asked.days)}
      once={({ token }) => ({
        label: "Token",
        text: token,
        hint: "Shown only now. Send it as Authorization: Bearer to /mcp/skills, /mcp/sandbox or /mcp/repo.",
      })}
    >
      {(problem) => (
        <TokenFields value={asked} days={[1, 7, 30, 90, 365]} problem={problem} onChange={setAsked} />
      )}
    </MakeDialog>
  );
}
