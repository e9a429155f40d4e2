import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useState, type SubmitEvent } from "react";
import { api } from "~/api/client";
import { forgetPerson } from "~/api/me";
import { asProblem } from "~/api/problem";
import { Button } from "~/ui/button";
import { Field } from "~/ui/field";
import { ProblemNote } from "~/ui/problem";
import { IdentityFrame } from "./frame";
import { NoWorkspace } from "./no-workspace";

/** The whole page of somebody who is signed in and belongs to no workspace any more. */
export function OutsidePage() {
  const client = useQueryClient();
  const router = useRouter();
  const [name, setName] = useState("");
  useEffect(() => {
    document.title = "No workspace · Roost";
  }, []);
  const make = useMutation({
    mutationFn: async () => {
      const made = await api.post("/api/workspaces", { body: { name: name.trim() } });
      await api.put("/api/auth/workspace", { body: { workspace_id: made.id } });
      // Whatever address led here belongs to another workspace, if to any.
      await router.navigate({ to: "/" });
      await client.resetQueries();
    },
  });
  const leave = useMutation({
    mutationFn: () => api.post("/api/auth/logout"),
    onSuccess: async () => {
      await router.navigate({ to: "/sign-in" });
      forgetPerson(client);
    },
  });
  const problem = make.error ?? leave.error;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <IdentityFrame title="You belong to no workspace">
      <NoWorkspace>
        <form onSubmit={submit} className="flex flex-col gap-4 border-t border-line pt-4">
          <Field
            label="Or a workspace of your own"
            required
            maxLength={100}
            value={name}
            placeholder="Its name"
            onChange={(event) => setName(event.target.value)}
          />
          <Button type="submit" busy={make.isPending} className="h-9 w-full">
            Make it
          </Button>
        </form>
        {problem && <ProblemNote problem={asProblem(problem)} />}
        <Button look="quiet" busy={leave.isPending} onClick={() => leave.mutate()} className="self-start">
          Sign out
        </Button>
      </NoWorkspace>
    </IdentityFrame>
  );
}
