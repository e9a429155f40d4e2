import { useMutation } from "@tanstack/react-query";
import type { SubmitEvent } from "react";
import { asProblem } from "~/api/problem";
import { Button } from "~/ui/button";
import { ClashPart } from "~/ui/clash/clash";
import { useEdit } from "~/ui/clash/edit";
import { DialogActions } from "~/ui/dialog";
import { Area, Field } from "~/ui/field";
import { LeaveGuard } from "~/ui/leave-guard";
import { ProblemNote } from "~/ui/problem";
import type { NewSkill, Skill, SkillText } from "./queries";
import { formOf, splitTags } from "./words";

interface Props {
  /** What is changed, as the gateway has it now; without it, a new one is written. */
  start?: Skill;
  /** Reads it anew. */
  read?: () => Promise<Skill>;
  action: string;
  onCancel: () => void;
  /** Sends it: `from` is the version that it is written over. */
  save: (text: SkillText & Pick<NewSkill, "name">, from: Skill | undefined) => Promise<unknown>;
}

const LABELS = { name: "Name", title: "Title", when_to_use: "When to use it", tags: "Tags", body: "Text" };
const FIELDS = ["name", "title", "when_to_use", "tags", "body"];

/** The text of a skill: when it is used, and what it says. */
export function SkillForm({ start, read, action, onCancel, save }: Props) {
  const edit = useEdit(start, formOf, { read: read ?? (() => Promise.resolve(start)) });
  const form = edit.draft;
  const sending = useMutation({
    mutationFn: () => edit.send((to, from) => save({ ...to, tags: splitTags(to.tags) }, from)),
  });
  const problem = sending.isError ? asProblem(sending.error) : undefined;
  const placed = problem?.fields.some(({ pointer }) => FIELDS.some((name) => pointer.endsWith(`/${name}`)));
  const bind = (name: keyof typeof form) => ({
    value: form[name],
    error: problem?.field(`/${name}`),
    onChange: (event: { target: { value: string } }) => edit.set({ [name]: event.target.value }),
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
      {problem && !placed && !edit.clash && <ProblemNote problem={problem} />}
      <ClashPart
        clash={edit.clash}
        what="skill"
        id={start?.id}
        labels={LABELS}
        busy={sending.isPending}
        onTheirs={() => {
          sending.reset();
          edit.take();
        }}
      />
      <LeaveGuard
        dirty={edit.dirty && !sending.isPending && !sending.isSuccess}
        title="Leave without saving?"
        consequence="Your text of the skill is not saved yet."
      />
      <DialogActions>
        <Button onClick={onCancel}>Cancel</Button>
        <Button type="submit" look="primary" busy={sending.isPending} disabled={edit.clash !== undefined}>
          {action}
        </Button>
      </DialogActions>
    </form>
  );
}
