import { useRef, type ReactNode, type SubmitEvent } from "react";
import type { Problem } from "~/api/problem";
import { Button } from "./button";
import { DialogActions, Modal } from "./dialog";
import { ProblemNote } from "./problem";
import { useSending } from "./sending";

/** What was typed into the field of a name, without blanks around it; nothing is null. */
export type Typed = (name: string) => string | null;

interface Props {
  title: string;
  lead: string;
  /** What has changed once it is connected. */
  renews: readonly unknown[];
  connect: (typed: Typed) => Promise<unknown>;
  onClose: () => void;
  /** What its button says. */
  action?: string;
  /** Its fields, each called as the gateway points at it. */
  children: (problem: Problem | undefined) => ReactNode;
}

/** A dialog that connects something with a secret. What is typed stays in its fields; nothing else keeps it. */
export function ConnectForm({ title, lead, renews, connect, onClose, action = "Connect", children }: Props) {
  const form = useRef<HTMLFormElement>(null);
  const { busy, problem, unplaced, send } = useSending(renews, onClose);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!form.current) return;
    const data = new FormData(form.current);
    void send(form.current, () => connect((name) => String(data.get(name) ?? "").trim() || null));
  };
  return (
    <Modal open onClose={onClose} title={title} lead={lead}>
      <form ref={form} onSubmit={submit} className="flex flex-col gap-4">
        {children(problem)}
        {unplaced && <ProblemNote problem={unplaced} />}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={busy}>
            {action}
          </Button>
        </DialogActions>
      </form>
    </Modal>
  );
}
