import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, Navigate, useRouter } from "@tanstack/react-router";
import { useEffect, useState, type SubmitEvent } from "react";
import { keys } from "~/api/keys";
import { meQuery } from "~/api/me";
import { asProblem, type Problem } from "~/api/problem";
import { Button } from "~/ui/button";
import { ProblemNote } from "~/ui/problem";
import { IdentityFrame } from "./frame";
import { PasswordField } from "./password-field";
import { setPassword } from "./queries";
import { MIN_PASSWORD, words } from "./words";

const route = getRouteApi("/set-password");

/** After a one-time login: the Owner chooses a password before anything else. */
export function SetPasswordPage() {
  const { next } = route.useSearch();
  const me = useQuery(meQuery);
  const client = useQueryClient();
  const router = useRouter();
  const [password, setText] = useState("");
  const [tooShort, setTooShort] = useState(false);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();

  useEffect(() => {
    document.title = "Choose a password · Roost";
  }, []);

  if (me.isError && asProblem(me.error).status === 401) return <Navigate to="/sign-in" replace />;

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setTooShort(password.length < MIN_PASSWORD);
    if (password.length < MIN_PASSWORD) return;
    setBusy(true);
    setProblem(undefined);
    try {
      await setPassword(password);
      client.removeQueries({ queryKey: keys.me });
      client.removeQueries({ queryKey: keys.setup });
      router.history.replace(next ?? "/");
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
    }
  };

  return (
    <IdentityFrame
      title="Choose a password"
      lead={me.data ? `From now on you sign in as ${me.data.user.email} with this password.` : undefined}
    >
      <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
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
          error={tooShort ? `${words.passwordRule} This one has ${password.length}.` : problem?.field("/new")}
        />
        <Button type="submit" look="primary" busy={busy} className="h-9 w-full">
          Set password
        </Button>
        {problem && !problem.field("/new") && <ProblemNote problem={problem} />}
      </form>
    </IdentityFrame>
  );
}
