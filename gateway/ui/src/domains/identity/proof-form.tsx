// The form by which somebody says who they are: sign-in, set-up, invitation and a new password are such forms.
import { useState, type ReactNode, type SubmitEvent } from "react";
import { asProblem, type Problem } from "~/api/problem";
import { Button } from "~/ui/button";
import { Field } from "~/ui/field";
import { ProblemNote } from "~/ui/problem";
import { MIN_PASSWORD, words } from "./words";

interface FormProps {
  action: string;
  /** What the form is about just now. What the gateway said of something else is not shown. */
  about?: string;
  /** The pointers that its fields show. */
  shows?: readonly string[];
  /** Whether what was typed can be sent. */
  ready?: () => boolean;
  send: () => Promise<void>;
  /** What else a refusal leads to. `true`: the form does not show it. */
  onRefused?: (problem: Problem) => boolean;
  children: (problem: Problem | undefined) => ReactNode;
  after?: ReactNode;
}

export function ProofForm({
  action,
  about = "",
  shows = [],
  ready,
  send,
  onRefused,
  children,
  after,
}: FormProps) {
  const [busy, setBusy] = useState(false);
  const [found, setFound] = useState<{ about: string; problem: Problem }>();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (ready && !ready()) return;
    setBusy(true);
    setFound(undefined);
    try {
      await send();
    } catch (error) {
      const problem = asProblem(error);
      if (!onRefused?.(problem)) setFound({ about, problem });
      setBusy(false);
    }
  };
  const problem = found?.about === about ? found.problem : undefined;
  const placed = shows.some((pointer) => problem?.field(pointer));
  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      {children(problem)}
      <Button type="submit" look="primary" busy={busy} className="h-9 w-full">
        {action}
      </Button>
      {after}
      {problem && !placed && <ProblemNote problem={problem} />}
    </form>
  );
}

interface Typed {
  value: string;
  onChange: (value: string) => void;
}

export const OneTimeField = ({ value, onChange }: Typed) => (
  <Field
    label="One-time login"
    name="one-time-code"
    autoComplete="one-time-code"
    spellCheck="false"
    autoCapitalize="none"
    required
    className="font-mono"
    value={value}
    onChange={(event) => onChange(event.target.value)}
  />
);

interface EmailProps extends Typed {
  hint?: string | undefined;
  error?: string | undefined;
  readOnly?: boolean;
}

export const EmailField = ({ onChange, ...props }: EmailProps) => (
  <Field
    label="E-mail"
    type="email"
    name="username"
    autoComplete="username"
    required
    maxLength={254}
    onChange={(event) => onChange(event.target.value)}
    {...props}
  />
);

/** What is said of a new password that is too short. */
export function useLength(password: string) {
  const [checked, setChecked] = useState(false);
  const long = password.length >= MIN_PASSWORD;
  return {
    ready: () => {
      setChecked(true);
      return long;
    },
    tooShort: checked && !long ? `${words.passwordRule} This one has ${password.length}.` : undefined,
  };
}

/** Under the button of a form, the other way to do it. */
export const OtherWay = ({ onClick, children }: { onClick: () => void; children: ReactNode }) => (
  <button
    type="button"
    onClick={onClick}
    className="min-h-6 self-start rounded-control text-small text-fg-2 underline decoration-line-strong underline-offset-2 hover:text-fg"
  >
    {children}
  </button>
);
