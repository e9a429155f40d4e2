import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { api } from "~/api/client";
import { forgetPerson } from "~/api/me";
import { asProblem } from "~/api/problem";
import type { InvitationView, Me } from "~/api/types";
import { Field } from "~/ui/field";
import { ProblemNote } from "~/ui/problem";
import { Skeleton } from "~/ui/skeleton";
import { IdentityFrame } from "./frame";
import { PasswordField } from "./password-field";
import { EmailField, OtherWay, ProofForm } from "./proof-form";
import { words } from "./words";

/** Who is signed in, if anybody; a 401 is an answer here, not the end of a session. */
async function someone(): Promise<Me | null> {
  const answer = await fetch("/api/auth/me", { credentials: "same-origin" }).catch(() => undefined);
  return answer?.ok ? ((await answer.json()) as Me) : null;
}

interface FormProps {
  view: InvitationView;
  me: Me | null;
  run: (proof: object) => Promise<void>;
}

function Form({ view, me, run }: FormProps) {
  const [known, setKnown] = useState(false);
  const [name, setName] = useState("");
  const [email, setEmail] = useState(view.email ?? "");
  const [password, setPassword] = useState("");
  const proof = () =>
    me ? {} : { email: email.trim(), password, ...(!known && name.trim() && { name: name.trim() }) };
  return (
    <ProofForm
      action={`Join ${view.workspace}`}
      shows={["/name", "/email", "/password"]}
      send={() => run(proof())}
      after={
        !me && (
          <OtherWay onClick={() => setKnown(!known)}>
            {known ? "I am new here" : "I have an account already"}
          </OtherWay>
        )
      }
    >
      {(problem) =>
        me ? (
          <p className="text-fg-2">You are signed in as {me.user.email}.</p>
        ) : (
          <>
            {!known && (
              <Field
                label="Your name"
                autoComplete="name"
                maxLength={100}
                value={name}
                onChange={(event) => setName(event.target.value)}
                error={problem?.field("/name")}
              />
            )}
            <EmailField
              readOnly={Boolean(view.email)}
              hint={view.email ? "The invitation is for this address." : undefined}
              value={email}
              onChange={setEmail}
              error={problem?.field("/email")}
            />
            <PasswordField
              label="Password"
              autoComplete={known ? "current-password" : "new-password"}
              value={password}
              onChange={setPassword}
              hint={known ? undefined : words.passwordRule}
              error={problem?.field("/password")}
            />
          </>
        )
      }
    </ProofForm>
  );
}

/** What an invitation's link opens. The token stands behind `#`, which no server and no log ever sees. */
export function InvitationPage() {
  const [token] = useState(() => location.hash.slice(1));
  const client = useQueryClient();
  const router = useRouter();
  const found = useQuery({
    queryKey: ["invitation", token],
    queryFn: async () => {
      const [view, me] = await Promise.all([
        api.post("/api/invitations/look", { body: { token } }),
        someone(),
      ]);
      return { view, me };
    },
    retry: false,
  });
  useEffect(() => {
    document.title = "Invitation · Roost";
  }, []);
  const run = async (proof: object) => {
    await api.post("/api/invitations/accept", { body: { token, ...proof } });
    forgetPerson(client);
    await router.navigate({ to: "/", replace: true });
  };
  if (found.isPending)
    return (
      <IdentityFrame title="Invitation">
        <span role="status" className="sr-only">
          Loading
        </span>
        <Skeleton className="h-9" />
      </IdentityFrame>
    );
  if (found.isError)
    return (
      <IdentityFrame title="Invitation">
        <ProblemNote problem={asProblem(found.error)} />
      </IdentityFrame>
    );
  const { view, me } = found.data;
  return (
    <IdentityFrame
      title={`Join ${view.workspace}`}
      lead={
        <>
          <bdi>{view.invited_by}</bdi> invites you as {view.role}.
        </>
      }
    >
      <Form view={view} me={me} run={run} />
    </IdentityFrame>
  );
}
