import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useRouter } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { keys } from "~/api/keys";
import { asProblem, type Problem } from "~/api/problem";
import { setupQuery } from "~/api/setup";
import type { Login } from "~/api/types";
import { Button, buttonClass } from "~/ui/button";
import { ProblemNote } from "~/ui/problem";
import { Skeleton } from "~/ui/skeleton";
import { IdentityFrame } from "./frame";
import { NoWorkspace } from "./no-workspace";
import { forgetOneTime, takeOneTime } from "./handed";
import { hostedStart, signIn } from "./queries";
import { SetUpForm } from "./set-up-form";
import { SignInForm } from "./sign-in-form";
import { words } from "./words";

export { ConfirmAddressPage } from "./confirm-address";
export { OutsidePage } from "./outside";
export { SetPasswordPage } from "./set-password";
export { SignInAgain } from "./sign-in-again";

const route = getRouteApi("/sign-in");

function WhereIsIt() {
  return (
    <section
      aria-label="Where the one-time login is"
      className="mt-6 rounded-panel border border-line bg-surface p-4"
    >
      <h2 className="text-head-3">Where is the one-time login?</h2>
      <ul className="mt-2 flex list-disc flex-col gap-2 pl-4 text-fg-2 marker:text-fg-3">
        <li>{words.whereTerminal}</li>
        <li>{words.whereService}</li>
        <li>{words.whereExpires}</li>
      </ul>
    </section>
  );
}

export function SignInPage() {
  const { next } = route.useSearch();
  const client = useQueryClient();
  const router = useRouter();
  const setup = useQuery(setupQuery);
  // Silence about the set-up must not keep anybody out: the usual form is shown then.
  const hosted = setup.data?.hosted;
  const firstRun = setup.data?.owner_ready === false;
  // Taken before anything else is drawn.
  const [oneTime, setOneTime] = useState(takeOneTime);
  const [refused, setRefused] = useState<Problem>();
  const forget = () => {
    forgetOneTime();
    setOneTime(undefined);
  };

  const [nowhere, setNowhere] = useState(false);
  useEffect(() => {
    document.title = "Sign in · Roost";
  }, []);

  const done = async (login: Login) => {
    forgetOneTime();
    client.removeQueries({ queryKey: keys.me });
    client.removeQueries({ queryKey: keys.setup });
    if (login.must_set_password)
      await router.navigate({ to: "/set-password", search: next ? { next } : {}, replace: true });
    else router.history.replace(next ?? "/");
  };

  // A Roost that is set up needs no more than the one-time login.
  const ready = oneTime !== undefined && setup.data?.owner_ready === true;
  const begun = useRef(false);
  const enter = async (proof: string) => {
    try {
      await done(await signIn({ one_time: proof }));
    } catch (error) {
      const problem = asProblem(error);
      forget();
      if (problem.status === 403) setNowhere(true);
      else setRefused(problem);
    }
  };
  useEffect(() => {
    // Once, also when the page is drawn again meanwhile: it works only once.
    if (!ready || begun.current) return;
    begun.current = true;
    void enter(oneTime);
  });

  if (setup.isPending || ready) {
    return (
      <IdentityFrame key="loading" title={words.signIn}>
        <span role="status" className={ready ? "mb-4 block text-fg-2" : "sr-only"}>
          {ready ? words.signingIn : "Loading"}
        </span>
        <Skeleton className="mb-4 h-8" />
        <Skeleton className="h-9" />
      </IdentityFrame>
    );
  }
  if (nowhere)
    return (
      <IdentityFrame title={words.noWorkspace}>
        <NoWorkspace>
          <Button look="quiet" onClick={() => setNowhere(false)} className="self-start">
            Sign in as somebody else
          </Button>
        </NoWorkspace>
      </IdentityFrame>
    );
  return (
    <IdentityFrame
      title={firstRun ? words.welcome : words.signIn}
      lead={firstRun ? words.firstRun : next && words.expired}
    >
      {hosted && (
        <>
          <a href={hostedStart(next)} className={buttonClass("primary", "h-9 w-full")}>
            Sign in with <bdi>{hosted.name}</bdi>
          </a>
          <p className="my-4 text-center text-small text-fg-3">or with an account of this Roost</p>
        </>
      )}
      {refused && (
        <div className="mb-4">
          <p className="mb-2">{words.oneTimeRefused}</p>
          <ProblemNote problem={refused} />
        </div>
      )}
      {firstRun ? (
        <SetUpForm oneTime={oneTime} onRefused={forget} onDone={(login) => void done(login)} />
      ) : (
        <SignInForm onDone={(login) => void done(login)} onNowhere={() => setNowhere(true)} />
      )}
      {firstRun && oneTime === undefined && <WhereIsIt />}
    </IdentityFrame>
  );
}
