import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { keys } from "~/api/keys";
import { useMay } from "~/api/may";
import { asProblem } from "~/api/problem";
import type { Node, Paired } from "~/api/types";
import { Button } from "~/ui/button";
import { Empty } from "~/ui/empty";
import { MissingRight } from "~/ui/missing-right";
import { Panel } from "~/ui/panel";
import { ProblemNote } from "~/ui/problem";
import { PairCommand } from "../pair-command";
import { nodes } from "../queries";

/** The name that the gateway shows until the machine's host name is known. */
const UNNAMED = "new machine";

interface Props {
  node: Node;
  /** The command that this page made for the machine. Only this answer has it. */
  paired: Paired | undefined;
  onPaired: (paired: Paired) => void;
}

/** A machine that has not joined. A code is shown once, so a lost or expired one needs a new entry in the fleet. */
export function Pairing({ node, paired, onPaired }: Props) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const may = useMay()("nodes.manage");
  const renew = useMutation({
    mutationFn: () => nodes.pair(node.name === UNNAMED ? "" : node.name),
    onSuccess: async (next) => {
      onPaired(next);
      client.setQueryData(keys.node(next.node.id), next.node);
      await navigate({ to: "/fleet/$id", params: { id: next.node.id }, replace: true });
      // Its code can no longer be read anywhere, so its waiting row would only be left behind.
      await nodes.remove(node.id).catch(() => undefined);
      void client.invalidateQueries({ queryKey: keys.nodes, exact: true });
    },
  });
  if (paired)
    return (
      <Panel title="Pairing command">
        <div className="max-w-3xl p-4">
          <PairCommand paired={paired} renewing={renew.isPending} onRenew={() => renew.mutate()} />
          {renew.isError && <ProblemNote problem={asProblem(renew.error)} className="mt-4" />}
        </div>
      </Panel>
    );
  return (
    <Empty
      title="This machine has not joined yet"
      action={
        may && (
          <Button look="primary" busy={renew.isPending} onClick={() => renew.mutate()}>
            Create new command
          </Button>
        )
      }
    >
      Run the pairing command on the machine. Its code is valid for 10 minutes and is shown only once. If it
      has expired or is lost, create a new command. Roost removes machines that never join.
      {!may && <MissingRight what="pair machines" least="admin" />}
      {renew.isError && <ProblemNote problem={asProblem(renew.error)} className="mt-4 text-left" />}
    </Empty>
  );
}
