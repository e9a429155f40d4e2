import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import type { Me } from "~/api/types";
import { meQuery } from "~/api/me";
import { Button } from "~/ui/button";
import { ClashPart } from "~/ui/clash/clash";
import { useEdit } from "~/ui/clash/edit";
import { Field } from "~/ui/field";
import { LeaveGuard } from "~/ui/leave-guard";
import { ProblemNote } from "~/ui/problem";
import { Status } from "~/ui/status";
import { visible } from "~/ui/visible";

const LABELS = { name: "Name", email: "E-mail" };
const draftOf = ({ user: { name, email } }: Me) => ({ name, email });

/** Name and address. A new address needs the password, because it is what the person signs in with. */
export function Profile({ me }: { me: Me }) {
  const { user, hosted } = me;
  const client = useQueryClient();
  const edit = useEdit(me, draftOf, {
    read: () => client.fetchQuery({ ...meQuery, staleTime: 0 }),
    unversioned: true,
  });
  const { name, email } = edit.draft;
  const [password, setPassword] = useState("");
  const save = useMutation({
    mutationFn: () =>
      edit.send((to, _, before) =>
        api.patch("/api/auth/me", {
          body: {
            ...(to.name.trim() !== before.name && { name: to.name.trim() }),
            ...(to.email.trim().toLowerCase() !== before.email.toLowerCase() && {
              email: to.email.trim(),
              password,
            }),
          },
        }),
      ),
    // The password is not kept with what was sent.
    gcTime: 0,
    onSuccess: async (now) => {
      setPassword("");
      client.setQueryData(keys.me, now);
      edit.take();
      await client.invalidateQueries({ queryKey: keys.members(me.workspace.id) });
    },
  });
  const moved = email.trim().toLowerCase() !== user.email.toLowerCase();
  const dirty = moved || name.trim() !== user.name;
  const problem = save.isError ? asProblem(save.error) : undefined;
  const placed = problem?.field("/name") ?? problem?.field("/email") ?? problem?.field("/password");
  const wrong = problem?.status === 403 && moved ? (problem.detail ?? problem.title) : undefined;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Field
        label="Name"
        name="name"
        autoComplete="name"
        required
        maxLength={100}
        value={name}
        onChange={(event) => edit.set({ name: event.target.value })}
        error={problem?.field("/name")}
      />
      <Field
        label="E-mail"
        name="email"
        type="email"
        autoComplete="email"
        required
        maxLength={254}
        disabled={hosted}
        value={email}
        onChange={(event) => edit.set({ email: event.target.value })}
        hint={hosted ? "Set by your identity provider." : "You use it to sign in."}
        error={problem?.field("/email")}
      />
      {me.pending_email && (
        <Status
          tone="waiting"
          word={`Open the link that was sent to ${visible(me.pending_email)}. Until then, this address stays.`}
          className="whitespace-normal"
        />
      )}
      {moved && (
        <Field
          label="Your password"
          name="password"
          type="password"
          autoComplete="current-password"
          required={!me.must_set_password}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
          hint="Required to change your e-mail."
          error={problem?.field("/password") ?? wrong}
        />
      )}
      {problem && !placed && !wrong && !edit.clash && <ProblemNote problem={problem} />}
      <ClashPart
        clash={edit.clash}
        what="account"
        id={user.id}
        labels={LABELS}
        busy={save.isPending}
        onTheirs={() => {
          save.reset();
          edit.take();
        }}
      />
      <div className="flex items-center gap-3">
        <Button type="submit" busy={save.isPending} disabled={!dirty || edit.clash !== undefined}>
          Save
        </Button>
        <span role="status">
          {dirty ? (
            <Status tone="waiting" word="Not saved yet" />
          ) : (
            save.isSuccess && <Status tone="done" word="Saved" />
          )}
        </span>
      </div>
      <LeaveGuard
        dirty={dirty && !save.isPending}
        title="Leave without saving your account?"
        consequence="What you typed is not saved yet."
      />
    </form>
  );
}
