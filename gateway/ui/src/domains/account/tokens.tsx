import { useState } from "react";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { Problem } from "~/api/problem";
import { Button } from "~/ui/button";
import { Choice, Tick } from "~/ui/field";
import { MakeDialog } from "~/ui/form-dialog";
import { TokenFields } from "~/ui/token-fields";
import { isRead, sectionsOf, wordOf, type Section } from "./scopes";

const PRESETS = {
  read: "Read only",
  all: "All your permissions",
  chosen: "Custom permissions",
} as const;
type Preset = keyof typeof PRESETS;

interface GroupProps extends Section {
  chosen: ReadonlySet<string>;
  onChange: (verbs: string[], on: boolean) => void;
}

function Group({ title, verbs, chosen, onChange }: GroupProps) {
  const all = verbs.every((verb) => chosen.has(verb));
  return (
    <fieldset>
      <div className="mb-1.5 flex items-center justify-between gap-2">
        <legend className="text-small font-[550] text-fg-2">{title}</legend>
        <Button
          look="quiet"
          className="-my-1"
          aria-label={`${all ? "Choose none" : "Choose all"}: ${title}`}
          onClick={() => onChange(verbs, !all)}
        >
          {all ? "None" : "All"}
        </Button>
      </div>
      <div className="grid gap-x-4 gap-y-1.5 sm:grid-cols-2">
        {verbs.map((verb) => (
          <Tick
            key={verb}
            label={wordOf(verb)}
            checked={chosen.has(verb)}
            onChange={(event) => onChange([verb], event.target.checked)}
          />
        ))}
      </div>
    </fieldset>
  );
}

interface ScopesProps {
  /** What the person may do. */
  permissions: readonly string[];
  preset: Preset;
  chosen: ReadonlySet<string>;
  problem: Problem | undefined;
  onPreset: (preset: Preset) => void;
  onChosen: (chosen: ReadonlySet<string>) => void;
}

function Scopes({ permissions, preset, chosen, problem, onPreset, onChosen }: ScopesProps) {
  const change = (verbs: string[], on: boolean) => {
    const next = new Set(chosen);
    for (const verb of verbs)
      if (on) next.add(verb);
      else next.delete(verb);
    onChosen(next);
  };
  return (
    <>
      <Choice
        label="Permissions"
        value={preset}
        hint="Never more than you may do yourself, also later. It never changes your account."
        error={problem?.field("/scopes")}
        onChange={(event) => onPreset(event.target.value as Preset)}
      >
        {Object.entries(PRESETS).map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </Choice>
      {preset === "chosen" && (
        <div className="flex flex-col gap-4 rounded-control border border-line p-3">
          {sectionsOf(permissions).map((section) => (
            <Group key={section.title} {...section} chosen={chosen} onChange={change} />
          ))}
          <p role="status" className="text-small text-fg-2">
            {chosen.size === 0
              ? "Choose at least one."
              : `${chosen.size} ${chosen.size === 1 ? "permission" : "permissions"} chosen.`}
          </p>
        </div>
      )}
    </>
  );
}

interface Props {
  workspace: string;
  permissions: readonly string[];
  onClose: () => void;
}

/** Makes a token for a program; it is shown once. */
export function TokenDialog({ workspace, permissions, onClose }: Props) {
  const [asked, setAsked] = useState({ label: "", days: 30 });
  const [preset, setPreset] = useState<Preset>("read");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(permissions.filter(isRead)));
  const scopes = preset === "all" ? undefined : preset === "read" ? permissions.filter(isRead) : [...chosen];
  return (
    <MakeDialog
      title="New token"
      lead={`For a program that acts as you in ${workspace}.`}
      action="Create token"
      renews={keys.sessions}
      onClose={onClose}
      make={() =>
        api.post("/api/auth/sessions", {
          body: { label: asked.label.trim(), expires_in_days: asked.days, ...(scopes && { scopes }) },
        })
      }
      once={({ token }) => ({
        label: "Token",
        text: token,
        hint: "Shown only now. Send it as Authorization: Bearer.",
      })}
    >
      {(problem) => (
        <>
          <TokenFields value={asked} days={[1, 7, 30, 90, 365]} problem={problem} onChange={setAsked} />
          <Scopes {...{ permissions, preset, chosen, problem }} onPreset={setPreset} onChosen={setChosen} />
        </>
      )}
    </MakeDialog>
  );
}
