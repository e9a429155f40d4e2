import { useMutation } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";
import { api } from "~/api/client";
import { asProblem } from "~/api/problem";
import { Button } from "~/ui/button";
import { Field, Tick } from "~/ui/field";
import { Panel } from "~/ui/panel";
import { ProblemNote } from "~/ui/problem";
import { Status } from "~/ui/status";

export function ChangePassword({ email }: { email: string }) {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const [tokens, setTokens] = useState(false);
  const change = useMutation({
    mutationFn: () => api.post("/api/auth/password", { body: { current, new: next, revoke_tokens: tokens } }),
    onSuccess: () => {
      setCurrent("");
      setNext("");
    },
  });
  const problem = change.isError ? asProblem(change.error) : undefined;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    change.mutate();
  };
  return (
    <Panel title="Password">
      <form onSubmit={submit} className="flex flex-col gap-4 p-4">
        <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
        <Field
          label="Current password"
          type="password"
          autoComplete="current-password"
          required
          value={current}
          onChange={(event) => setCurrent(event.target.value)}
          error={problem?.field("/current")}
        />
        <Field
          label="New password"
          type="password"
          autoComplete="new-password"
          required
          minLength={10}
          hint="At least 10 characters."
          value={next}
          onChange={(event) => setNext(event.target.value)}
          error={problem?.field("/new")}
        />
        <Tick
          label="Revoke my tokens as well"
          hint="Your other sessions always end."
          checked={tokens}
          onChange={(event) => setTokens(event.target.checked)}
        />
        {problem && problem.fields.length === 0 && <ProblemNote problem={problem} />}
        <div className="flex items-center gap-3">
          <Button type="submit" busy={change.isPending}>
            Change password
          </Button>
          <span role="status">{change.isSuccess && <Status tone="done" word="Changed" />}</span>
        </div>
      </form>
    </Panel>
  );
}
