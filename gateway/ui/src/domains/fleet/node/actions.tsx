import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { keys } from "~/api/keys";
import { nodeQuery } from "~/api/nodes";
import { asProblem } from "~/api/problem";
import type { Node } from "~/api/types";
import { Button, IconButton } from "~/ui/button";
import { ClashPart } from "~/ui/clash/clash";
import { useEdit } from "~/ui/clash/edit";
import { Confirm } from "~/ui/dialog";
import { Field } from "~/ui/field";
import { MakeDialog } from "~/ui/form-dialog";
import { ProblemNote } from "~/ui/problem";
import { Radios } from "~/ui/radios";
import { nodes } from "../queries";
import { words } from "../words";

const LABELS = { name: "Name", labels: "Labels" };
const draftOf = ({ name, labels }: Node) => ({ name, labels: labels.join(" ") });

function Describe({ node, onClose }: { node: Node; onClose: () => void }) {
  const client = useQueryClient();
  const edit = useEdit(node, draftOf, {
    read: () => client.fetchQuery({ ...nodeQuery(node.id), staleTime: 0 }),
  });
  const { name, labels } = edit.draft;
  const describe = async () => {
    const described = await edit.send((to, from, before) => {
      const words = to.labels
        .toLowerCase()
        .split(/[\s,]+/)
        .filter(Boolean);
      const renamed = to.name.trim() !== before.name;
      const body = { ...(renamed ? { name: to.name.trim() } : {}), labels: words };
      return nodes.describe(node.id, body, from.version);
    });
    client.setQueryData(keys.node(node.id), described);
    void client.invalidateQueries({ queryKey: keys.nodes, exact: true });
    onClose();
  };
  return (
    <MakeDialog
      title="Name and labels"
      action="Save"
      make={describe}
      clashes={edit.clash !== undefined}
      onClose={onClose}
    >
      {(problem) => (
        <>
          <Field
            label="Name"
            required
            maxLength={100}
            autoComplete="off"
            value={name}
            onChange={(event) => edit.set({ name: event.target.value })}
            error={problem?.field("/name")}
          />
          <Field
            label="Labels"
            hint="Words to find it by, separated by spaces, such as gpu rack-3. At most 16."
            autoComplete="off"
            spellCheck="false"
            value={labels}
            onChange={(event) => edit.set({ labels: event.target.value })}
            error={
              problem?.fields.find(({ pointer }) => pointer.replace(/^#/, "").startsWith("/labels"))?.detail
            }
          />
          <ClashPart clash={edit.clash} what="machine" id={node.id} labels={LABELS} onTheirs={edit.take} />
        </>
      )}
    </MakeDialog>
  );
}

type DrainChoice = "stay" | "move";

/** Asks what happens to the sandboxes that are there. */
export function DrainDialog({
  node,
  onClose,
  onDrained,
}: {
  node: Node;
  onClose: () => void;
  onDrained: (next: Node) => void;
}) {
  const [choice, setChoice] = useState<DrainChoice>(node.status === "draining" ? "move" : "stay");
  return (
    <Confirm
      open
      onClose={onClose}
      look="primary"
      title={`Drain ${node.name}?`}
      consequence={words.drainOne}
      action={choice === "move" ? "Drain and move" : "Drain"}
      run={async () => onDrained(await nodes.drain(node.id, choice === "move"))}
    >
      <div className="mt-4">
        <Radios<DrainChoice>
          label="Sandboxes that are on it now"
          value={choice}
          onChange={setChoice}
          options={[
            { value: "stay", label: "Stay" },
            { value: "move", label: "Move elsewhere" },
          ]}
          hint={choice === "move" ? words.drainMove : words.drainStay}
        />
      </div>
    </Confirm>
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
      <IconButton label="Name and labels" onClick={() => setOpen("rename")}>
        <Pencil size={15} aria-hidden />
      </IconButton>
      <IconButton label="Remove the machine" onClick={() => setOpen("remove")}>
        <Trash2 size={15} aria-hidden />
      </IconButton>
      {node.status !== "pending" &&
        (drained ? (
          <>
            {!node.moves && <Button onClick={() => setOpen("drain")}>Move sandboxes</Button>}
            <Button look="primary" busy={undrain.isPending} onClick={() => undrain.mutate()}>
              End draining
            </Button>
          </>
        ) : (
          <Button onClick={() => setOpen("drain")}>Drain</Button>
        ))}
      {undrain.isError && <ProblemNote problem={asProblem(undrain.error)} className="w-full" />}
      {open === "rename" && <Describe node={node} onClose={close} />}
      {open === "drain" && <DrainDialog node={node} onClose={close} onDrained={set} />}
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
