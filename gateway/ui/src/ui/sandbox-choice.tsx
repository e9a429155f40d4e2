import { useQuery } from "@tanstack/react-query";
import type { SubmitEvent } from "react";
import { imagesQuery } from "~/api/images";
import type { Problem } from "~/api/problem";
import type { components } from "~/api/schema";
import { Button } from "./button";
import { ClashPart } from "./clash/clash";
import { useEdit } from "./clash/edit";
import { Choice, Field } from "./field";
import { limitsOf, typedLimits, type ChosenLimits } from "./limits";
import { imageName } from "./template-words";
import { visible } from "./visible";

type SandboxImage = components["schemas"]["SandboxImage"];

const ORIGINS: Record<SandboxImage["from"], string> = {
  agent: "the agent's own choice",
  team: "chosen for the team",
  template: "named by the template",
  deployment: "nobody chose another one",
};

/** The image of new sandboxes, and who chose it. */
export const ImageWords = ({ image }: { image: SandboxImage }) => (
  <>
    <bdi>{visible(imageName(image.kind))}</bdi>
    <span className="block text-small text-fg-3">{ORIGINS[image.from]}</span>
  </>
);

interface Props {
  label: string;
  /** A name of the deployment's images; null inherits. */
  value: string | null;
  /** The value before this edit. It stays a choice when the deployment has no image of this name. */
  saved?: string | null;
  /** What applies when none is chosen. */
  inherited: string;
  disabled?: boolean;
  error?: string | undefined;
  onChange: (value: string | null) => void;
}

/** Which image new sandboxes get. What the gateway's host lacks of it is said at once. */
export function ImageChoice({ label, value, saved, inherited, disabled, error, onChange }: Props) {
  const images = useQuery(imagesQuery).data?.items ?? [];
  const chosen = images.find(({ name }) => name === value);
  const others = [...new Set([value, saved])].flatMap((name) =>
    name && images.every((one) => one.name !== name) ? [name] : [],
  );
  return (
    <Choice
      label={label}
      value={value ?? ""}
      disabled={disabled}
      error={error}
      hint={chosen && visible(chosen.remedy ?? chosen.purpose)}
      onChange={(event) => onChange(event.target.value || null)}
    >
      <option value="">{inherited}</option>
      {images.map(({ name, state }) => (
        <option key={name} value={name}>
          {visible(name)}
          {state === "missing" && " (not here)"}
        </option>
      ))}
      {others.map((name) => (
        <option key={name} value={name}>
          {visible(name)}
        </option>
      ))}
    </Choice>
  );
}

/** The memory and the processors of new sandboxes. */
export function LimitFields({
  limits,
  busy,
  problem,
  what,
  id,
  save,
}: {
  /** As the gateway has them now. */
  limits: ChosenLimits;
  busy: boolean;
  problem: Problem | undefined;
  /** Whose limits they are: `team`. */
  what: string;
  id: string;
  /** Fails with a clash when somebody else changed them meanwhile. */
  save: (limits: ChosenLimits) => Promise<unknown>;
}) {
  const edit = useEdit(limits, typedLimits, { read: () => Promise.resolve(limits) });
  const typed = edit.draft;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    // The panel shows why it was refused.
    edit.send((to, from) => save(limitsOf(to, from))).catch(() => undefined);
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap items-end gap-3">
      <div className="w-36">
        <Field
          label="Memory, in GiB"
          inputMode="decimal"
          autoComplete="off"
          placeholder="usual"
          value={typed.memory}
          error={problem?.field("/limits/memory_bytes")}
          onChange={(event) => edit.set({ memory: event.target.value })}
        />
      </div>
      <div className="w-36">
        <Field
          label="CPUs"
          inputMode="decimal"
          autoComplete="off"
          placeholder="usual"
          value={typed.cpus}
          error={problem?.field("/limits/nano_cpus")}
          onChange={(event) => edit.set({ cpus: event.target.value })}
        />
      </div>
      <ClashPart
        clash={edit.clash}
        what={what}
        id={id}
        labels={{ memory: "Memory, in GiB", cpus: "CPUs" }}
        busy={busy}
        onTheirs={edit.take}
        className="w-full"
      />
      <Button type="submit" busy={busy} disabled={!edit.dirty || edit.clash !== undefined}>
        Save limits
      </Button>
    </form>
  );
}
