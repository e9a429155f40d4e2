import { useMutation } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";
import { asProblem } from "~/api/problem";
import { Button } from "~/ui/button";
import { DialogActions } from "~/ui/dialog";
import { Area, Field } from "~/ui/field";
import { LeaveGuard } from "~/ui/leave-guard";
import { ProblemNote } from "~/ui/problem";
import type { NewSkill, Skill, SkillText } from "./queries";
import { formOf, isTyped, splitTags } from "./words";

interface Props {
  /** What is changed; without it, a new one is written. */
  start?: Skill;
  action: string;
  onCancel: () => void;
  save: (text: SkillText & Pick<NewSkill, "name">) => Promise<unknown>;
}

const FIELDS = ["name", "title", "when_to_use", "tags", "body"];

/** The text of a skill: when it is used, and what it says. */
export function SkillForm({ start, action, onCancel, save }: Props) {
  const [before] = useState(() => formOf(start));
  const [form, setForm] = useState(before);
  const sending = useMutation({ mutationFn: () => save({ ...form, tags: splitTags(form.tags) }) });
  const problem = sending.isError ? asProblem(sending.error) : undefined;
  const placed = problem?.fields.some(({ pointer }) => FIELDS.some((name) => pointer.endsWith(`/${name}`)));
  const bind = (name: keyof typeof form) => ({
    value: form[name],
    error: problem?.field(`/${name}`),
    onChange: (event: { target: { value: string } }) => setForm({ ...form, [name]: event.target.value }),
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    sending.mutate();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      {!start && (
        <Field
          label="Name"
          required
          autoComplete="off"
          spellCheck="false"
          pattern="[a-z0-9]+(-[a-z0-9]+)*"
          hint="The name that agents and templates use: lower-case words with hyphens. You cannot change it later."
          {...bind("name")}
        />
      )}
      <Field label="Title" required maxLength={120} autoComplete="off" {...bind("title")} />
      <Field
        label="When to use it"
        required
        maxLength={300}
        autoComplete="off"
        hint="One line. An agent decides by this line whether it reads the skill."
        {...bind("when_to_use")}
      />
      <Field
        label="Tags"
        autoComplete="off"
        spellCheck="false"
        hint="At most eight, separated by spaces."
        {...bind("tags")}
      />
      <Area
        label="Text"
        required
        rows={14}
        className="font-mono text-small"
        hint="Markdown: steps, checks, what goes wrong, an example."
        {...bind("body")}
      />
      {problem && !placed && <ProblemNote problem={problem} />}
      <LeaveGuard
        dirty={isTyped(form, before) && !sending.isPending && !sending.isSuccess}
        title="Leave without saving?"
        consequence="Your text of the skill is not saved yet."
      />
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="primary" busy={sending.isPending}>
          {action}
        </Button>
      </DialogActions>
    </form>
  );
}
