import { useState, type KeyboardEvent } from "react";
import { Field } from "~/ui/field";
import { words } from "./words";

interface Props {
  label: string;
  value: string;
  onChange: (value: string) => void;
  autoComplete: "current-password" | "new-password";
  hint?: string | undefined;
  error?: string | undefined;
}

/** Paste allowed, can be shown, says when Caps Lock is on. */
export function PasswordField({ label, value, onChange, autoComplete, hint, error }: Props) {
  const [shown, setShown] = useState(false);
  const [caps, setCaps] = useState(false);
  const watchCaps = (event: KeyboardEvent) => setCaps(event.getModifierState("CapsLock"));
  return (
    <Field
      label={label}
      type={shown ? "text" : "password"}
      name={autoComplete}
      autoComplete={autoComplete}
      spellCheck="false"
      autoCapitalize="none"
      required
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onKeyUp={watchCaps}
      onKeyDown={watchCaps}
      hint={caps ? words.capsLock : hint}
      error={error}
      aside={
        <button
          type="button"
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
          className="-mt-2 min-h-6 min-w-8 rounded-control text-right text-small text-fg-2 hover:text-fg"
        >
          {shown ? "Hide" : "Show"}
        </button>
      }
    />
  );
}
