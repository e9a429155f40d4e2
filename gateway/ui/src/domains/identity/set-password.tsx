import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Navigate, useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { keys } from "~/api/keys";
import { meQuery } from "~/api/me";
import { asProblem } from "~/api/problem";
import { IdentityFrame } from "./frame";
import { PasswordField } from "./password-field";
import { ProofForm, useLength } from "./proof-form";
import { setPassword } from "./queries";
import { words } from "./words";

const route = getRouteApi("/set-password");

/** After a one-time login: the Owner chooses a password before anything else. */
export function SetPasswordPage() {
  const { next } = route.useSearch();
  const me = useQuery(meQuery);
  const client = useQueryClient();
  const router = useRouter();
  const [password, setText] = useState("");
  const { ready, tooShort } = useLength(password);

  useEffect(() => {
    document.title = "Choose a password · Roost";
  }, []);

  if (me.isError && asProblem(me.error).status === 401) return <Navigate to="/sign-in" replace />;

  const send = async () => {
    await setPassword(password);
    client.removeQueries({ queryKey: keys.me });
    client.removeQueries({ queryKey: keys.setup });
    router.history.replace(next ?? "/");
  };

  return (
    <IdentityFrame
      title="Choose a password"
      lead={me.data ? `From now on you sign in as ${me.data.user.email} with this password.` : undefined}
    >
      <ProofForm action="Set password" shows={["/new"]} ready={ready} send={send}>
        {(problem) => (
          <>
            <input
              type="hidden"
              name="username"
              autoComplete="username"
              value={me.data?.user.email ?? ""}
              readOnly
            />
            <PasswordField
              label="New password"
              autoComplete="new-password"
              value={password}
              onChange={setText}
              hint={words.passwordRule}
              error={tooShort ?? problem?.field("/new")}
            />
          </>
        )}
      </ProofForm>
    </IdentityFrame>
  );
}
