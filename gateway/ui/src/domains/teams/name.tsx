import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { SubmitEvent } from "react";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import type { Team } from "~/api/teams";
import { Button } from "~/ui/button";
import { ClashPart } from "~/ui/clash/clash";
import { useEdit } from "~/ui/clash/edit";
import { Field } from "~/ui/field";
import { ProblemNote } from "~/ui/problem";
import { changeKey, setName, teamQuery } from "./queries";

const LABEL = "Name of the team";
const draftOf = ({ name }: Team) => ({ name });

/** Renames the team. Its agents keep their names. */
export function NameForm({ team, busy }: { team: Team; busy: boolean }) {
  const client = useQueryClient();
  const edit = useEdit(team, draftOf, {
    read: () => client.fetchQuery({ ...teamQuery(team.id), staleTime: 0 }),
  });
  const change = useMutation({
    mutationKey: changeKey(team),
    mutationFn: () => edit.send((to, from) => setName(from, to.name.trim())),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.teams }),
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    change.mutate();
  };
  const problem = change.isError ? asProblem(change.error) : undefined;
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <Field
        label={LABEL}
        required
        maxLength={100}
        autoComplete="off"
        hint="Its agents keep their names."
        value={edit.draft.name}
        onChange={(event) => edit.set({ name: event.target.value })}
        error={problem?.field("/name")}
      />
      <ClashPart
        clash={edit.clash}
        what="team"
        id={team.id}
        labels={{ name: LABEL }}
        busy={busy}
        onTheirs={() => {
          change.reset();
          edit.take();
        }}
      />
      {edit.dirty && !edit.clash && (
        <Button type="submit" className="self-start" busy={busy} disabled={edit.draft.name.trim() === ""}>
          Save the name
        </Button>
      )}
      {problem && problem.fields.length === 0 && !edit.clash && <ProblemNote problem={problem} />}
    </form>
  );
}
