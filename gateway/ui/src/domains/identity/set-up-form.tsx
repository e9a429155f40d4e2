import { useState } from "react";
import type { Login } from "~/api/types";
import { Field } from "~/ui/field";
import { PasswordField } from "./password-field";
import { EmailField, OneTimeField, ProofForm, useLength } from "./proof-form";
import { setUp } from "./queries";
import { words } from "./words";

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
  const { ready, tooShort } = useLength(password);
  const who = { name: name.trim(), email: email.trim(), password };
  return (
    <ProofForm
      action="Set up Roost"
      shows={["/name", "/email", "/password"]}
      ready={ready}
      send={async () => onDone(await setUp({ one_time: oneTime ?? typed.trim(), ...who }))}
      onRefused={({ status }) => {
        if (status === 401) onRefused();
        return false;
      }}
    >
      {(problem) => (
        <>
          {oneTime === undefined && <OneTimeField value={typed} onChange={setTyped} />}
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
          <EmailField
            value={email}
            onChange={setEmail}
            hint="You sign in with it. Nothing is sent to it now."
            error={problem?.field("/email")}
          />
          <PasswordField
            label="Password"
            autoComplete="new-password"
            value={password}
            onChange={setPassword}
            hint={words.passwordRule}
            error={tooShort ?? problem?.field("/password")}
          />
        </>
      )}
    </ProofForm>
  );
}
