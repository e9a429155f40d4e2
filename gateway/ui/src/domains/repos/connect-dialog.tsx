import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import type { RepoProvider } from "~/api/types";
import { Button } from "~/ui/button";
import { DialogActions, Modal } from "~/ui/dialog";
import { Choice, Field } from "~/ui/field";
import { ProblemNote } from "~/ui/problem";
import { connect } from "./queries";
import { HOSTS } from "./words";

const PLACED = new Set(["/provider", "/base_url", "/owner", "/label", "/token"]);

export function ConnectDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const [provider, setProvider] = useState<RepoProvider>("github");
  const [base, setBase] = useState("");
  const [owner, setOwner] = useState("");
  const [label, setLabel] = useState("");
  const [token, setToken] = useState("");
  const host = HOSTS[provider];
  const elsewhere = host.elsewhere !== "never";
  const make = useMutation({
    mutationFn: () =>
      connect({
        provider,
        token: token.trim(),
        owner: owner.trim() || null,
        label: label.trim() || null,
        base_url: (elsewhere && base.trim()) || null,
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: keys.repos });
      onClose();
    },
  });
  const problem = make.isError ? asProblem(make.error) : undefined;
  const unplaced = problem && !problem.fields.some(({ pointer }) => PLACED.has(pointer));
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <Modal
      open
      onClose={onClose}
      title="Connect a code host"
      lead="Its repositories are listed here. Nothing is changed there."
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Choice
          label="Host"
          value={provider}
          onChange={(event) => setProvider(event.target.value as RepoProvider)}
        >
          {Object.entries(HOSTS).map(([key, { name }]) => (
            <option key={key} value={key}>
              {name}
            </option>
          ))}
        </Choice>
        {elsewhere && (
          <Field
            label={host.elsewhere === "perhaps" ? "Address (optional)" : "Address"}
            inputMode="url"
            required={host.elsewhere === "always"}
            placeholder="https://git.example.com"
            value={base}
            hint={host.elsewhere === "perhaps" ? "Absent: gitlab.com." : undefined}
            error={problem?.field("/base_url")}
            onChange={(event) => setBase(event.target.value)}
          />
        )}
        <Field
          label={`${host.owner} (optional)`}
          autoComplete="off"
          value={owner}
          hint="Absent: everything that the token's owner sees."
          error={problem?.field("/owner")}
          onChange={(event) => setOwner(event.target.value)}
        />
        <Field
          label="Access token"
          type="password"
          autoComplete="off"
          required
          value={token}
          hint={`${host.token} It goes to the secret broker and is never shown again.`}
          error={problem?.field("/token")}
          onChange={(event) => setToken(event.target.value)}
        />
        <Field
          label="Label (optional)"
          autoComplete="off"
          value={label}
          error={problem?.field("/label")}
          onChange={(event) => setLabel(event.target.value)}
        />
        {unplaced && <ProblemNote problem={problem} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={make.isPending}>
            Connect
          </Button>
        </DialogActions>
      </form>
    </Modal>
  );
}
