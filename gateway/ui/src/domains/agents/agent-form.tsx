import { useEffect, useRef, useState, type ReactNode, type SubmitEvent } from "react";
import { asProblem, type Problem } from "~/api/problem";
import type { NewClaw } from "~/api/types";
import { Button } from "~/ui/button";
import { DialogActions } from "~/ui/dialog";
import { Area, Field } from "~/ui/field";
import { ProblemNote } from "~/ui/problem";

interface Props {
  start: NewClaw;
  action: string;
  onCancel: () => void;
  save: (body: NewClaw) => Promise<unknown>;
  children?: ReactNode;
}

const FIELDS = ["/name", "/role", "/system_prompt", "/model_binding"];

/** What makes an agent: for a new one and for changing one. */
export function AgentForm({ start, action, onCancel, save, children }: Props) {
  const [form, setForm] = useState({ role: "", system_prompt: "", model_binding: "", ...start });
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const set = (name: keyof typeof form) => (event: { target: { value: string } }) =>
    setForm({ ...form, [name]: event.target.value });
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
    const { name, ...optional } = form;
    // For a new agent what was left empty is not sent; a change may empty a field.
    const rest = Object.fromEntries(
      Object.entries(optional).filter(([key, value]) => value !== (start[key as keyof NewClaw] ?? "")),
    );
    try {
      await save({ name: name.trim(), ...rest });
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
      <Field
        label="Model"
        hint="The model that the agent thinks with. Optional: a sandbox needs no model."
        autoComplete="off"
        spellCheck="false"
        value={form.model_binding ?? ""}
        onChange={set("model_binding")}
        error={error("/model_binding")}
      />
      {children}
      {problem && !placed && <ProblemNote problem={problem} />}
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="primary" busy={busy}>
          {action}
        </Button>
      </DialogActions>
    </form>
  );
}
