import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Pencil, Trash2 } from "lucide-react";
import { useState, type SubmitEvent } from "react";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import type { Node } from "~/api/types";
import { Button, IconButton } from "~/ui/button";
import { Confirm, DialogActions, Modal } from "~/ui/dialog";
import { Field } from "~/ui/field";
import { ProblemNote } from "~/ui/problem";
import { nodes } from "../queries";
import { words } from "../words";

function Rename({ node, onClose }: { node: Node; onClose: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState(node.name);
  const rename = useMutation({
    mutationFn: () => nodes.rename(node.id, name.trim()),
    onSuccess: (next) => {
      client.setQueryData(keys.node(node.id), next);
      void client.invalidateQueries({ queryKey: keys.nodes, exact: true });
      onClose();
    },
  });
  const problem = rename.isError ? asProblem(rename.error) : undefined;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    rename.mutate();
  };
  return (
    <Modal open onClose={onClose} title="Rename the machine">
      <form onSubmit={submit}>
        <Field
          label="Name"
          required
          maxLength={100}
          autoComplete="off"
          value={name}
          onChange={(event) => setName(event.target.value)}
          error={problem?.field("/name")}
        />
        {problem && !problem.field("/name") && <ProblemNote problem={problem} className="mt-4" />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={rename.isPending}>
            Rename
          </Button>
        </DialogActions>
      </form>
    </Modal>
  );
}

/** What can be done to a machine as a whole. */
export function NodeActions({ node }: { node: Node }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [open, setOpen] = useState<"rename" | "drain" | "remove">();
  const close = () => setOpen(undefined);
  const drained = node.drained || node.status === "draining";
  const set = (next: Node) => {
    client.setQueryData(keys.node(node.id), next);
    void client.invalidateQueries({ queryKey: keys.nodes, exact: true });
  };
  const undrain = useMutation({ mutationFn: () => nodes.undrain(node.id), onSuccess: set });
  return (
    <>
      <IconButton label="Rename the machine" onClick={() => setOpen("rename")}>
        <Pencil size={15} aria-hidden />
      </IconButton>
      <IconButton label="Remove the machine" onClick={() => setOpen("remove")}>
        <Trash2 size={15} aria-hidden />
      </IconButton>
      {node.status !== "pending" &&
        (drained ? (
          <Button look="primary" busy={undrain.isPending} onClick={() => undrain.mutate()}>
            End draining
          </Button>
        ) : (
          <Button onClick={() => setOpen("drain")}>Drain</Button>
        ))}
      {undrain.isError && <ProblemNote problem={asProblem(undrain.error)} className="w-full" />}
      {open === "rename" && <Rename node={node} onClose={close} />}
      <Confirm
        open={open === "drain"}
        onClose={close}
        look="primary"
        title={`Drain ${node.name}?`}
        consequence={words.drain}
        action="Drain"
        run={async () => set(await nodes.drain(node.id))}
      />
      <Confirm
        open={open === "remove"}
        onClose={close}
        title={`Remove ${node.name}?`}
        consequence={words.remove}
        action="Remove machine"
        typed={node.sandboxes > 0 ? node.name : undefined}
        run={async () => {
          await nodes.remove(node.id);
          await navigate({ to: "/fleet" });
          client.removeQueries({ queryKey: keys.node(node.id) });
          void client.invalidateQueries({ queryKey: keys.nodes, exact: true });
          void client.invalidateQueries({ queryKey: keys.placement });
        }}
      />
    </>
  );
}
