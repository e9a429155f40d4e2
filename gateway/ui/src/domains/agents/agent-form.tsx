import { useEffect, useRef, useState, type ReactNode, type SubmitEvent } from "react";
import { asProblem, type Problem } from "~/api/problem";
import type { Claw, NewClaw } from "~/api/types";
import { Button } from "~/ui/button";
import { DialogActions } from "~/ui/dialog";
import { Area, Field } from "~/ui/field";
import { ClashPart } from "~/ui/clash/clash";
import { useEdit } from "~/ui/clash/edit";
import { onlyChanged } from "~/ui/clash/same";
import { ModelChoice } from "~/ui/model-choice";
import { ProblemNote } from "~/ui/problem";

type Start = NewClaw & Partial<Pick<Claw, "id" | "version">>;

interface Props<T extends Start> {
  /** The agent as the gateway has it now, or what a new one begins with. */
  start: T;
  /** Reads the agent anew. */
  read?: () => Promise<T>;
  action: string;
  onCancel: () => void;
  /** Sends it: `from` is the version that the change is made from. */
  save: (body: NewClaw, from: T) => Promise<unknown>;
  children?: ReactNode;
}

const FIELDS = ["/name", "/role", "/system_prompt", "/model_binding"];

const LABELS = { name: "Name", role: "Role", system_prompt: "Instructions", model_binding: "Model" };

const draftOf = ({ name, role, system_prompt, model_binding }: Start) => ({
  name,
  role: role ?? "",
  system_prompt: system_prompt ?? "",
  model_binding: model_binding ?? "",
});

/** What makes an agent: for a new one and for changing one. */
export function AgentForm<T extends Start>({
  start,
  read = () => Promise.resolve(start),
  action,
  onCancel,
  save,
  children,
}: Props<T>) {
  const edit = useEdit(start, draftOf, { read });
  const form = edit.draft;
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const set = (name: keyof typeof form) => (event: { target: { value: string } }) =>
    edit.set({ [name]: event.target.value });
  const error = (pointer: string) => problem?.field(pointer);
  const placed = problem?.fields.some((one) => FIELDS.includes(one.pointer.replace(/^#/, "")));

  const box = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // The refused field may be out of sight in a long form, and it is what has to be changed.
    if (problem) box.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [problem]);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      // For a new agent what was left empty is not sent; a change may empty a field.
      await edit.send((to, from, before) =>
        save({ name: to.name.trim(), ...onlyChanged(before, { ...to, name: to.name.trim() }) }, from),
      );
    } catch (thrown) {
      setProblem(asProblem(thrown));
      setBusy(false);
    }
  };

  return (
    <form ref={box} onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      <Field
        label="Name"
        required
        maxLength={100}
        autoComplete="off"
        value={form.name}
        onChange={set("name")}
        error={error("/name")}
      />
      <Field
        label="Role"
        hint="The agent's purpose, in a few words. Optional."
        maxLength={100}
        autoComplete="off"
        value={form.role ?? ""}
        onChange={set("role")}
        error={error("/role")}
      />
      <Area
        label="Instructions"
        hint="Facts and rules that the agent always follows. Optional."
        value={form.system_prompt ?? ""}
        onChange={set("system_prompt")}
        error={error("/system_prompt")}
      />
      <ModelChoice
        label="Model"
        hint="The model that the agent uses. A sandbox needs no model."
        inherited={start.id ? "Its team's model, or else the workspace's" : "The workspace's model"}
        value={form.model_binding ?? ""}
        onChange={(model) => edit.set({ model_binding: model })}
        error={error("/model_binding")}
      />
      {children}
      {problem && !placed && !edit.clash && <ProblemNote problem={problem} />}
      <ClashPart
        clash={edit.clash}
        what="agent"
        id={start.id}
        labels={LABELS}
        busy={busy}
        onTheirs={() => {
          setProblem(undefined);
          edit.take();
        }}
      />
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="primary" busy={busy} disabled={edit.clash !== undefined}>
          {action}
        </Button>
      </DialogActions>
    </form>
  );
}
