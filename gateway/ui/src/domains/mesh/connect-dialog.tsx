import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";
import { keys } from "~/api/keys";
import { MESHES } from "~/api/mesh";
import { asProblem } from "~/api/problem";
import type { MeshKind } from "~/api/types";
import { Button } from "~/ui/button";
import { DialogActions, Modal } from "~/ui/dialog";
import { Choice, Field } from "~/ui/field";
import { ProblemNote } from "~/ui/problem";
import { connect } from "./queries";

const PLACED = new Set(["/kind", "/tailnet", "/base_url", "/api_key"]);

export function ConnectDialog({ replaces, onClose }: { replaces: boolean; onClose: () => void }) {
  const client = useQueryClient();
  const [kind, setKind] = useState<MeshKind>("tailscale");
  const [tailnet, setTailnet] = useState("");
  const [base, setBase] = useState("");
  const [key, setKey] = useState("");
  const headscale = kind === "headscale";
  const make = useMutation({
    mutationFn: () =>
      connect({
        kind,
        api_key: key.trim(),
        tailnet: (!headscale && tailnet.trim()) || null,
        base_url: (headscale && base.trim()) || null,
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: keys.mesh });
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
      title="Connect a mesh network"
      lead={
        replaces
          ? "It takes the place of the one that is connected, whose key is forgotten."
          : "Its devices are shown here beside the machines that they are. Nothing is changed there."
      }
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        <Choice label="Network" value={kind} onChange={(event) => setKind(event.target.value as MeshKind)}>
          {Object.entries(MESHES).map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </Choice>
        {headscale ? (
          <Field
            label="Address"
            inputMode="url"
            required
            placeholder="https://mesh.example.com"
            value={base}
            error={problem?.field("/base_url")}
            onChange={(event) => setBase(event.target.value)}
          />
        ) : (
          <Field
            label="Tailnet (optional)"
            autoComplete="off"
            value={tailnet}
            hint="Absent: the network that the key belongs to. It is not shown again."
            error={problem?.field("/tailnet")}
            onChange={(event) => setTailnet(event.target.value)}
          />
        )}
        <Field
          label="API key"
          type="password"
          autoComplete="off"
          required
          value={key}
          hint={`${headscale ? "Made with `headscale apikeys create`." : "An access token that may read devices (devices:core:read)."} It goes to the secret broker and is never shown again.`}
          error={problem?.field("/api_key")}
          onChange={(event) => setKey(event.target.value)}
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
