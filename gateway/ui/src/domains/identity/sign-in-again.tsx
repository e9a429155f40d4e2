// A session ended while somebody was typing: they sign in above the page, and everything on it stays.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useCallback, useEffect } from "react";
import { api } from "~/api/client";
import { forgetPerson, meQuery } from "~/api/me";
import { setupQuery } from "~/api/setup";
import type { Me } from "~/api/types";
import { renew } from "~/live/renew";
import { buttonClass } from "~/ui/button";
import { Modal } from "~/ui/dialog";
import { useHeld } from "~/ui/held";
import { hostedStart } from "./queries";
import { SignInForm } from "./sign-in-form";
import { words } from "./words";

export function SignInAgain({ me }: { me: Me }) {
  const client = useQueryClient();
  const router = useRouter();
  const hosted = useQuery(setupQuery).data?.hosted;
  const leave = useCallback(
    async (to: "/sign-in" | "/") => {
      await router.navigate({ to, ignoreBlocker: true });
      useHeld.setState({ held: false });
      forgetPerson(client);
    },
    [client, router],
  );
  const done = useCallback(async () => {
    const now = await api.get("/api/auth/me", {});
    // Somebody else, or in another workspace: what is on screen is not theirs.
    if (now.user.id !== me.user.id || now.workspace.id !== me.workspace.id) return leave("/");
    client.setQueryData(meQuery.queryKey, now);
    useHeld.setState({ held: false });
    await renew(client);
  }, [client, leave, me]);
  // Somebody may sign in with the identity provider, or in another tab.
  useEffect(() => {
    const look = () =>
      void fetch("/api/auth/me", { credentials: "same-origin" }).then(
        (answer) => (answer.ok ? done() : undefined),
        () => undefined,
      );
    globalThis.addEventListener("focus", look);
    return () => globalThis.removeEventListener("focus", look);
  }, [done]);
  return (
    <Modal
      open
      above
      onClose={() => void leave("/sign-in")}
      title={words.signIn}
      lead="Your session has ended. What you typed stays on the page below."
    >
      {hosted && (
        <>
          <a
            href={hostedStart("/")}
            target="_blank"
            rel="noreferrer"
            className={buttonClass("primary", "h-9 w-full")}
          >
            Sign in with <bdi>{hosted.name}</bdi>
          </a>
          <p className="my-4 text-center text-small text-fg-3">
            It opens in another tab. Come back here afterwards.
          </p>
        </>
      )}
      <SignInForm onDone={() => void done()} onNowhere={() => void leave("/")} />
    </Modal>
  );
}
