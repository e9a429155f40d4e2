import { useState } from "react";
import type { Login } from "~/api/types";
import { PasswordField } from "./password-field";
import { EmailField, OneTimeField, OtherWay, ProofForm } from "./proof-form";
import { signIn, type Proof } from "./queries";

interface Props {
  onDone: (login: Login) => void;
  /** Who it is was proved, but there is nowhere to go. */
  onNowhere: () => void;
}

/** One form, two ways: e-mail and password, or a one-time login from the gateway's host. */
export function SignInForm({ onDone, onNowhere }: Props) {
  const [way, setWay] = useState<"one-time" | "password">("password");
  const [oneTime, setOneTime] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const once = way === "one-time";
  const proof: Proof = once ? { one_time: oneTime.trim() } : { email: email.trim(), password };
  return (
    <ProofForm
      action="Sign in"
      about={way}
      send={async () => onDone(await signIn(proof))}
      onRefused={({ status }) => {
        if (status === 403) onNowhere();
        return status === 403;
      }}
      after={
        <OtherWay onClick={() => setWay(once ? "password" : "one-time")}>
          {once ? "Sign in with e-mail and password" : "I have a one-time login"}
        </OtherWay>
      }
    >
      {() =>
        once ? (
          <OneTimeField value={oneTime} onChange={setOneTime} />
        ) : (
          <>
            <EmailField value={email} onChange={setEmail} />
            <PasswordField
              label="Password"
              autoComplete="current-password"
              value={password}
              onChange={setPassword}
            />
          </>
        )
      }
    </ProofForm>
  );
}
