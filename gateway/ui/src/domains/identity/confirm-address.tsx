import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import { Button, buttonClass } from "~/ui/button";
import { ProblemNote } from "~/ui/problem";
import { visible } from "~/ui/visible";
import { IdentityFrame } from "./frame";
import { takeOneTime } from "./handed";

/** What the link in a mail opens. A press confirms it: programs that look at links in mails press nothing. */
export function ConfirmAddressPage() {
  const [token] = useState(takeOneTime);
  const client = useQueryClient();
  const confirm = useMutation({
    mutationFn: () => api.post("/api/auth/confirm-address", { body: { token: token ?? "" } }),
    onSuccess: () => client.removeQueries({ queryKey: keys.me }),
  });
  useEffect(() => {
    document.title = "Confirm your e-mail · Roost";
  }, []);
  if (confirm.data)
    return (
      <IdentityFrame
        title="Your e-mail is confirmed"
        lead={
          <>
            From now on you sign in as <bdi>{visible(confirm.data.email)}</bdi>.
          </>
        }
      >
        <Link to="/" className={buttonClass("primary", "h-9 w-full")}>
          Open Roost
        </Link>
      </IdentityFrame>
    );
  return (
    <IdentityFrame
      title="Confirm your e-mail"
      lead={
        token
          ? "You asked for another e-mail address. Confirm that this one is yours."
          : "This link is not whole. Open it again from the mail."
      }
    >
      <div className="flex flex-col gap-4">
        {token && (
          <Button
            look="primary"
            className="h-9 w-full"
            busy={confirm.isPending}
            onClick={() => confirm.mutate()}
          >
            Confirm
          </Button>
        )}
        {confirm.isError && <ProblemNote problem={asProblem(confirm.error)} />}
      </div>
    </IdentityFrame>
  );
}
