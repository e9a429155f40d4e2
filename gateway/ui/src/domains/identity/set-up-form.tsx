import { useState, type SubmitEvent } from "react";
import { asProblem, type Problem } from "~/api/problem";
import type { Login } from "~/api/types";
import { Button } from "~/ui/button";
import { Field } from "~/ui/field";
import { ProblemNote } from "~/ui/problem";
import { PasswordField } from "./password-field";
import { setUp } from "./queries";
import { MIN_PASSWORD, words } from "./words";

interface Props {
  /** The one-time login that the address had. */
  oneTime: string | undefined;
  /** The gateway refused it: it is asked for. */
  onRefused: () => void;
  onDone: (login: Login) => void;
}

/** The first person of a new Roost: who they are, asked once. */
export function SetUpForm({ oneTime, onRefused, onDone }: Props) {
  const [typed, setTyped] = useState("");
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [tooShort, setTooShort] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setTooShort(password.length < MIN_PASSWORD);
    if (password.length < MIN_PASSWORD) return;
    setBusy(true);
    setProblem(undefined);
    try {
      const who = { name: name.trim(), email: email.trim(), password };
      onDone(await setUp({ one_time: oneTime ?? typed.trim(), ...who }));
    } catch (error) {
      const refused = asProblem(error);
      setProblem(refused);
      setBusy(false);
      if (refused.status === 401) onRefused();
    }
  };
  const placed = ["/name", "/email", "/password"].some((pointer) => problem?.field(pointer));
  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      {oneTime === undefined && (
        <Field
          label="One-time login"
          name="one-time-code"
          autoComplete="one-time-code"
          spellCheck="false"
          autoCapitalize="none"
          required
          className="font-mono"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      )}
      <Field
        label="Your name"
        name="name"
        autoComplete="name"
        required
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.target.value)}
        error={problem?.field("/name")}
      />
      <Field
        label="E-mail"
        type="email"
        name="username"
        autoComplete="username"
        required
        maxLength={254}
        hint="You sign in with it. Nothing is sent to it now."
        value={email}
        onChange={(event) => setEmail(event.target.value)}
        error={problem?.field("/email")}
      />
      <PasswordField
        label="Password"
        autoComplete="new-password"
        value={password}
        onChange={setPassword}
        hint={words.passwordRule}
        error={
          tooShort ? `${words.passwordRule} This one has ${password.length}.` : problem?.field("/password")
        }
      />
      {problem && !placed && <ProblemNote problem={problem} />}
      <Button type="submit" look="primary" busy={busy} className="h-9 w-full">
        Set up Roost
      </Button>
    </form>
  );
}
