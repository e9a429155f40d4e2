import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import type { FreshToken } from "~/api/types";
import { Button } from "~/ui/button";
import { CopyButton } from "~/ui/copy";
import { DialogActions, Modal } from "~/ui/dialog";
import { Choice, Field } from "~/ui/field";
import { ProblemNote } from "~/ui/problem";

/** Makes a token for a program; it is shown once. */
export function TokenDialog({ workspace, onClose }: { workspace: string; onClose: () => void }) {
  const client = useQueryClient();
  const [label, setLabel] = useState("");
  const [days, setDays] = useState("30");
  const make = useMutation({
    mutationFn: () =>
      api.post<FreshToken>("/api/auth/sessions", { label: label.trim(), expires_in_days: Number(days) }),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.sessions }),
  });
  const problem = make.isError ? asProblem(make.error) : undefined;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <Modal open onClose={onClose} title="New token" lead={`For a program that acts as you in ${workspace}.`}>
      {make.data ? (
        <>
          <Field
            label="Token"
            readOnly
            value={make.data.token}
            className="font-mono"
            hint="Shown only now. Send it as Authorization: Bearer."
            onFocus={(event) => event.target.select()}
          />
          <DialogActions>
            <CopyButton text={make.data.token} label="Copy token" />
            <Button look="primary" onClick={onClose}>
              Done
            </Button>
          </DialogActions>
        </>
      ) : (
        <form onSubmit={submit} className="flex flex-col gap-4">
          <Field
            label="What it is for"
            required
            maxLength={100}
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
            <option value="1">1 day</option>
            <option value="7">7 days</option>
            <option value="30">30 days</option>
            <option value="90">90 days</option>
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
