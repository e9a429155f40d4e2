import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type SubmitEvent } from "react";
import { keys } from "~/api/keys";
import { useMay } from "~/api/may";
import { meQuery } from "~/api/me";
import { asProblem } from "~/api/problem";
import type { Me } from "~/api/types";
import { Button } from "~/ui/button";
import { ClashPart } from "~/ui/clash/clash";
import { useEdit } from "~/ui/clash/edit";
import { Field } from "~/ui/field";
import { MissingRight } from "~/ui/missing-right";
import { Panel } from "~/ui/panel";
import { ProblemNote } from "~/ui/problem";
import { Status } from "~/ui/status";
import { LeaveGuard } from "~/ui/leave-guard";
import { renameWorkspace, settingsQuery } from "./queries";

const LONGEST = 100;

/** Said when the field is left; the gateway says the same and has the last word. */
function mistake(name: string): string | undefined {
  const length = [...name.trim()].length;
  if (length === 0) return "A workspace needs a name.";
  return length > LONGEST ? `At most ${LONGEST} characters; this has ${length}.` : undefined;
}

/** Who is signed in names the workspace without its version. */
type Named = Me["workspace"] & { version?: number };

const draftOf = ({ name }: Named) => ({ name });

function Form({ workspace }: { workspace: Me["workspace"] }) {
  const client = useQueryClient();
  // The version first: a name that is newer than it is found out by the gateway.
  const read = async () => {
    const { version } = await client.fetchQuery({ ...settingsQuery(workspace.id), staleTime: 0 });
    return { ...(await client.fetchQuery({ ...meQuery, staleTime: 0 })).workspace, version };
  };
  const edit = useEdit<Named, { name: string }>(workspace, draftOf, { read, unversioned: true });
  const { name } = edit.draft;
  const [left, setLeft] = useState(false);
  const save = useMutation({
    mutationFn: () => edit.send((to, from) => renameWorkspace(workspace.id, to.name.trim(), from.version)),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.me }),
  });
  const dirty = edit.dirty && !save.isPending;
  const problem = save.isError ? asProblem(save.error) : undefined;
  const wrong = left ? mistake(name) : undefined;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setLeft(true);
    if (!mistake(name)) save.mutate();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4 p-4">
      <Field
        label="Name"
        value={name}
        autoComplete="off"
        onChange={(event) => edit.set({ name: event.target.value })}
        onBlur={() => setLeft(true)}
        error={wrong ?? problem?.field("/name")}
        hint="Everybody in the workspace sees the new name at once. Links and tokens remain valid."
      />
      {problem && problem.fields.length === 0 && !edit.clash && <ProblemNote problem={problem} />}
      <ClashPart
        clash={edit.clash}
        what="workspace"
        id={workspace.id}
        labels={{ name: "Name" }}
        busy={save.isPending}
        onTheirs={() => {
          save.reset();
          edit.take();
        }}
      />
      <div className="flex flex-wrap items-center gap-3">
        <Button
          type="submit"
          busy={save.isPending}
          disabled={name === workspace.name || edit.clash !== undefined}
        >
          Rename
        </Button>
        {dirty && (
          <Button look="quiet" onClick={edit.take}>
            Undo
          </Button>
        )}
        <span role="status">{dirty && <Status tone="waiting" word="Not saved yet" />}</span>
      </div>
      <LeaveGuard
        dirty={dirty}
        title="Leave without renaming?"
        consequence="The new name is not saved yet."
      />
    </form>
  );
}

export function WorkspaceName({ workspace }: { workspace: Me["workspace"] }) {
  const may = useMay();
  return (
    <Panel title="Name">
      {may("workspace.change") ? (
        <Form workspace={workspace} />
      ) : (
        <div className="p-4">
          <MissingRight what="rename this workspace" least="admin" />
        </div>
      )}
    </Panel>
  );
}
