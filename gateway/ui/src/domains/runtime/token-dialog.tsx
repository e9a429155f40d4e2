import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import { Button } from "~/ui/button";
import { CopyButton } from "~/ui/copy";
import { DialogActions, Modal } from "~/ui/dialog";
import { Choice, Field } from "~/ui/field";
import { isolate } from "~/ui/isolate";
import { ProblemNote } from "~/ui/problem";
import { visible } from "~/ui/visible";
import { makeToken, type FreshToken } from "./queries";

/** The token itself, this once: it is kept by nobody, and gone with the dialog. */
function Fresh({ made, onClose }: { made: FreshToken; onClose: () => void }) {
  return (
    <>
      <Field
        label="Token"
        readOnly
        value={made.token}
        className="font-mono"
        hint="Shown only now. Send it as Authorization: Bearer to /mcp/skills, /mcp/sandbox or /mcp/repo."
        onFocus={(event) => event.target.select()}
      />
      <DialogActions>
        <CopyButton text={made.token} label="Copy token" />
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </>
  );
}

export function TokenDialog({ agent, name, onClose }: { agent: string; name: string; onClose: () => void }) {
  const client = useQueryClient();
  const [label, setLabel] = useState("");
  const [days, setDays] = useState("90");
  const make = useMutation({
    mutationFn: () => makeToken(agent, label.trim(), Number(days)),
    // What the cache keeps of it is forgotten with the dialog.
    gcTime: 0,
    onSuccess: () => client.invalidateQueries({ queryKey: [...keys.claw(agent), "tokens"] }),
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
      title="New token of the agent"
      lead={`A program that has it calls the tools of ${isolate(visible(name).slice(0, 80))}, as far as the agent itself may use them.`}
    >
      {make.data ? (
        <Fresh made={make.data} onClose={onClose} />
      ) : (
        <form onSubmit={submit} className="flex flex-col gap-4">
          <Field
            label="What it is for"
            required
            maxLength={100}
            autoComplete="off"
            value={label}
            onChange={(event) => setLabel(event.target.value)}
            error={problem?.field("/label")}
          />
          <Choice
            label="Ends after"
            value={days}
            onChange={(event) => setDays(event.target.value)}
            error={problem?.field("/expires_in_days")}
          >
            {[1, 7, 30, 90, 365].map((one) => (
              <option key={one} value={one}>
                {one} {one === 1 ? "day" : "days"}
              </option>
            ))}
          </Choice>
          {problem && problem.fields.length === 0 && <ProblemNote problem={problem} />}
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" look="primary" busy={make.isPending}>
              Make token
            </Button>
          </DialogActions>
        </form>
      )}
    </Modal>
  );
}
