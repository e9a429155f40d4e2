import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import type { Paired } from "~/api/types";
import { Button } from "~/ui/button";
import { DialogActions, Modal } from "~/ui/dialog";
import { Field } from "~/ui/field";
import { ProblemNote } from "~/ui/problem";
import { PairCommand } from "./pair-command";
import { PairProgress } from "./pair-progress";
import { nodes, nodesQuery } from "./queries";
import { words } from "./words";

/** Pairing: a name, one command, then waiting for the machine. Closing cancels nothing. */
export function PairDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const client = useQueryClient();
  const fleet = useQuery(nodesQuery);
  const [name, setName] = useState("");
  const [paired, setPaired] = useState<Paired>();
  const pair = useMutation({
    mutationFn: async (old: Paired | undefined) => {
      const next = await nodes.pair(name.trim());
      // The code before can no longer be read anywhere, so its waiting row would only be left behind.
      if (old) await nodes.remove(old.node.id).catch(() => undefined);
      return next;
    },
    onSuccess: (next) => {
      setPaired(next);
      void client.invalidateQueries({ queryKey: keys.nodes, exact: true });
    },
  });
  const close = () => {
    setPaired(undefined);
    setName("");
    pair.reset();
    onClose();
  };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    pair.mutate(undefined);
  };
  const node = fleet.data?.find((one) => one.id === paired?.node.id);
  const joined = node !== undefined && node.status !== "pending";
  const problem = pair.isError ? asProblem(pair.error) : undefined;
  return (
    <Modal open={open} onClose={close} title="Pair a machine" lead={words.pairLead} wide>
      {paired ? (
        <>
          {/* A used code is of no use, and a new one would take the place of the machine that has just come. */}
          {!joined && (
            <PairCommand paired={paired} renewing={pair.isPending} onRenew={() => pair.mutate(paired)} />
          )}
          {problem && <ProblemNote problem={problem} className="mt-4" />}
          <PairProgress first={paired.node} onDone={close} />
        </>
      ) : (
        <form onSubmit={submit}>
          <Field
            label="Name of the machine"
            hint="Leave it empty to use the machine's own host name."
            value={name}
            maxLength={100}
            autoComplete="off"
            onChange={(event) => setName(event.target.value)}
            error={problem?.field("/name")}
          />
          {problem && !problem.field("/name") && <ProblemNote problem={problem} className="mt-4" />}
          <DialogActions>
            <Button onClick={close}>Cancel</Button>
            <Button type="submit" look="primary" busy={pair.isPending}>
              Create command
            </Button>
          </DialogActions>
        </form>
      )}
    </Modal>
  );
}
