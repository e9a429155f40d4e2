import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";
import { keys } from "~/api/keys";
import { useMay } from "~/api/may";
import { asProblem } from "~/api/problem";
import { Button } from "~/ui/button";
import { Choice } from "~/ui/field";
import { MissingRight } from "~/ui/missing-right";
import { Panel } from "~/ui/panel";
import { Failed, ProblemNote } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { pushPolicyQuery, setPushPolicy, type PushPolicy } from "./queries";

const WORDS: Record<PushPolicy, string> = {
  ask: "Ask a person each time",
  allow: "Push at once",
};

function Form({ workspace, present }: { workspace: string; present: PushPolicy }) {
  const client = useQueryClient();
  const [wanted, setWanted] = useState(present);
  const save = useMutation({
    mutationFn: () => setPushPolicy(workspace, wanted),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.workspace(workspace) }),
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <Choice
        label="When an agent asks to push its branch"
        value={wanted}
        onChange={(event) => setWanted(event.target.value as PushPolicy)}
        hint="Only branches below roost/ are pushed, never over other commits, and never the default branch. A pull request always needs a person."
      >
        {Object.entries(WORDS).map(([policy, words]) => (
          <option key={policy} value={policy}>
            {words}
          </option>
        ))}
      </Choice>
      {save.isError && <ProblemNote problem={asProblem(save.error)} />}
      <div>
        <Button type="submit" busy={save.isPending} disabled={wanted === present}>
          Save
        </Button>
      </div>
    </form>
  );
}

/** Whether agents push their branches without a decision. */
export function WorkspacePushes({ workspace }: { workspace: string }) {
  const policy = useQuery(pushPolicyQuery(workspace));
  const may = useMay();
  return (
    <Panel title="Pushes of agents">
      <div className="flex flex-col gap-3 p-4">
        {policy.isPending && <Loading what="the setting" rows={1} className="" />}
        {policy.isError && !policy.data && (
          <Failed error={policy.error} retry={() => void policy.refetch()} className="" />
        )}
        {policy.data &&
          (may("workspace.change") ? (
            <Form key={policy.data} workspace={workspace} present={policy.data} />
          ) : (
            <>
              <p className="text-fg-2">{WORDS[policy.data]}</p>
              <MissingRight what="change this" least="admin" />
            </>
          ))}
      </div>
    </Panel>
  );
}
