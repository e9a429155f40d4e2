import { useState, type SubmitEvent } from "react";
import type { Login } from "~/api/types";
import { asProblem, type Problem } from "~/api/problem";
import { Button } from "~/ui/button";
import { Field } from "~/ui/field";
import { ProblemNote } from "~/ui/problem";
import { PasswordField } from "./password-field";
import { signIn, type Proof } from "./queries";

type Way = "one-time" | "password";

interface Props {
  onDone: (login: Login) => void;
  /** Who it is was proved, but there is nowhere to go. */
  onNowhere: () => void;
}

/** One form, two ways: e-mail and password, or a one-time login from the gateway's host. */
export function SignInForm({ onDone, onNowhere }: Props) {
  const [way, setWay] = useState<Way>("password");
  const [oneTime, setOneTime] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    const proof: Proof =
      way === "one-time" ? { one_time: oneTime.trim() } : { email: email.trim(), password };
    try {
      onDone(await signIn(proof));
    } catch (error) {
      const refused = asProblem(error);
      if (refused.status === 403) return onNowhere();
      setProblem(refused);
      setBusy(false);
    }
  };

  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      {way === "one-time" ? (
        <Field
          label="One-time login"
          name="one-time-code"
          autoComplete="one-time-code"
          spellCheck="false"
          autoCapitalize="none"
          required
          className="font-mono"
          value={oneTime}
          onChange={(event) => setOneTime(event.target.value)}
        />
      ) : (
        <>
          <Field
            label="E-mail"
            type="email"
            name="username"
            autoComplete="username"
            required
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
          <PasswordField
            label="Password"
            autoComplete="current-password"
            value={password}
            onChange={setPassword}
          />
        </>
      )}
      <Button type="submit" look="primary" busy={busy} className="h-9 w-full">
        Sign in
      </Button>
      <button
        type="button"
        onClick={() => {
          setWay(way === "one-time" ? "password" : "one-time");
          setProblem(undefined);
        }}
        className="min-h-6 self-start rounded-control text-small text-fg-2 underline decoration-line-strong underline-offset-2 hover:text-fg"
      >
        {way === "one-time" ? "Sign in with e-mail and password" : "I have a one-time login"}
      </button>
      {problem && <ProblemNote problem={problem} />}
    </form>
  );
}
