import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode, SubmitEvent } from "react";
import { asProblem, type Problem } from "~/api/problem";
import { Button } from "./button";
import { CopyButton } from "./copy-button";
import { DialogActions, Modal } from "./dialog";
import { Field } from "./field";
import { ProblemNote } from "./problem";
import { useSending } from "./sending";

interface Asks {
  title: string;
  lead?: string;
  /** What its button says: `Connect` where nothing else does. */
  action?: string;
  onClose: () => void;
  /** Whether a note of two people's changes stands among its fields. Its buttons take the place of the one below. */
  clashes?: boolean;
  /** Its fields, each called as the gateway points at it, with what the gateway says of them. */
  children: (problem: Problem | undefined) => ReactNode;
}

interface FormProps {
  action: string | undefined;
  onClose: () => void;
  busy: boolean;
  clashes: boolean | undefined;
  /** What no field of it shows. */
  unplaced: Problem | undefined;
  send: (form: HTMLFormElement) => void;
  children: ReactNode;
}

function Form({ action, onClose, busy, clashes, unplaced, send, children }: FormProps) {
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    send(event.currentTarget);
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {children}
      {unplaced && unplaced.code !== "clash" && !clashes && <ProblemNote problem={unplaced} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={busy} disabled={clashes}>
          {action}
        </Button>
      </DialogActions>
    </form>
  );
}

/** What was typed into the field of a name, without blanks around it; nothing is null. */
export type Typed = (name: string) => string | null;

interface ConnectProps extends Asks {
  /** What has changed once it is connected. */
  renews: readonly unknown[];
  connect: (typed: Typed) => Promise<unknown>;
}

/** A dialog that connects something with a secret. What is typed stays in its fields; nothing else keeps it. */
export function ConnectForm({
  title,
  lead,
  action = "Connect",
  renews,
  connect,
  clashes,
  onClose,
  children,
}: ConnectProps) {
  const { busy, problem, unplaced, send } = useSending(renews, onClose);
  const sent = (form: HTMLFormElement) => {
    const data = new FormData(form);
    void send(form, () => connect((name) => String(data.get(name) ?? "").trim() || null));
  };
  return (
    <Modal open onClose={onClose} title={title} lead={lead}>
      <Form {...{ action, onClose, busy, clashes, unplaced }} send={sent}>
        {children(problem)}
      </Form>
    </Modal>
  );
}

interface Shown {
  /** Token or link. */
  label: string;
  text: string;
  hint: string;
  /** What should be known before it is passed on. */
  note?: ReactNode;
}

/** Nobody keeps it, and it is gone with the dialog. */
function Once({ label, text, hint, note, onClose }: Shown & Pick<Asks, "onClose">) {
  return (
    <div className="flex flex-col gap-4">
      <Field
        label={label}
        readOnly
        value={text}
        className="font-mono"
        hint={hint}
        onFocus={(event) => event.target.select()}
      />
      {note}
      <DialogActions>
        <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} />
        <Button look="primary" onClick={onClose}>
          Done
        </Button>
      </DialogActions>
    </div>
  );
}

interface MakeProps<Made> extends Asks {
  make: () => Promise<Made>;
  /** What has changed once it is made. */
  renews?: readonly unknown[];
  /** What can be seen of it only this once, in the place of the form. */
  once?: (made: Made) => Shown;
}

/** A dialog that makes one thing. A refusal stays inside it, at the field that it is about. */
export function MakeDialog<Made>({
  title,
  lead,
  action,
  make,
  renews,
  once,
  clashes,
  onClose,
  children,
}: MakeProps<Made>) {
  const client = useQueryClient();
  const sent = useMutation({
    mutationFn: make,
    // What the cache keeps of it, a token may be, is forgotten with the dialog.
    gcTime: 0,
    onSuccess: () => renews && client.invalidateQueries({ queryKey: renews }),
  });
  const problem = sent.isError ? asProblem(sent.error) : undefined;
  const unplaced = problem?.fields.length === 0 ? problem : undefined;
  return (
    <Modal open onClose={onClose} title={title} lead={lead}>
      {once && sent.isSuccess ? (
        <Once {...once(sent.data)} onClose={onClose} />
      ) : (
        <Form {...{ action, onClose, clashes, unplaced }} busy={sent.isPending} send={() => sent.mutate()}>
          {children(problem)}
        </Form>
      )}
    </Modal>
  );
}
