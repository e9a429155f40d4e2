import { useMutation, useQuery } from "@tanstack/react-query";
import { Navigate } from "@tanstack/react-router";
import { useEffect, useState, type SubmitEvent } from "react";
import { meQuery } from "~/api/me";
import { asProblem } from "~/api/problem";
import { Button } from "~/ui/button";
import { Field } from "~/ui/field";
import { ProblemNote } from "~/ui/problem";
import { IdentityFrame } from "./frame";
import { confirmTerminal, lookAtTerminal } from "./queries";

/** Signs a terminal in that shows a code. The code may stand behind `#`, which no server and no log ever sees. */
export function TerminalPage() {
  const me = useQuery({ ...meQuery, retry: false });
  const [code, setCode] = useState(() => decodeURIComponent(location.hash.slice(1)));
  const look = useMutation({ mutationFn: lookAtTerminal });
  const confirm = useMutation({ mutationFn: confirmTerminal });
  useEffect(() => {
    document.title = "Authorize a terminal · Roost";
  }, []);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    look.mutate(code);
  };
  if (me.isError) return <Navigate to="/sign-in" search={{ next: `/device${location.hash}` }} replace />;
  if (confirm.isSuccess)
    return (
      <IdentityFrame title="Terminal authorized" lead="Close this page and continue in the terminal.">
        {null}
      </IdentityFrame>
    );
  const problem = look.error ?? confirm.error;
  return (
    <IdentityFrame
      title="Authorize a terminal"
      lead={me.data && `You are signed in as ${me.data.user.email}.`}
    >
      {look.data ? (
        <div className="flex flex-col gap-4">
          <p className="text-fg-2">
            <bdi>{look.data.device}</bdi> at {look.data.from_address} wants to sign in. It will act as you.
            Continue only if you have just run <code className="font-mono">roost login</code> there yourself.
          </p>
          <Button
            look="primary"
            className="h-9 w-full"
            busy={confirm.isPending}
            onClick={() => confirm.mutate(code)}
          >
            Authorize
          </Button>
          <Button look="quiet" className="self-start" onClick={() => look.reset()}>
            Cancel
          </Button>
        </div>
      ) : (
        <form onSubmit={submit} className="flex flex-col gap-4">
          <Field
            label="Code"
            required
            autoComplete="off"
            spellCheck="false"
            autoCapitalize="characters"
            className="font-mono"
            hint="The terminal shows it: eight letters."
            value={code}
            onChange={(event) => setCode(event.target.value)}
          />
          <Button type="submit" look="primary" busy={look.isPending} className="h-9 w-full">
            Continue
          </Button>
        </form>
      )}
      {problem && <ProblemNote problem={asProblem(problem)} />}
    </IdentityFrame>
  );
}
