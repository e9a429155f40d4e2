import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { SubmitEvent } from "react";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import { repoChoicesQuery, type RunRepo } from "~/api/repos";
import type { Team } from "~/api/teams";
import { Button } from "~/ui/button";
import { ClashPart } from "~/ui/clash/clash";
import { useEdit } from "~/ui/clash/edit";
import { textLink } from "~/ui/class";
import { ProblemNote } from "~/ui/problem";
import { RepoChoice } from "~/ui/repo-choice";
import { visible } from "~/ui/visible";
import { changeKey, setRepo, teamQuery } from "./queries";

/** The team's repository as a run names it. A removed one is left out: the gateway then says what to do. */
export function ownRepo({ repo }: Team): RunRepo | undefined {
  if (!repo?.full_name) return undefined;
  return { repo_id: repo.repo_id, ...(repo.base && { base: repo.base }) };
}

/** The repository of a team's runs in words. */
export function RepositoryWords({ team: { repo } }: { team: Team }) {
  if (!repo) return <>none, if a run names none</>;
  if (!repo.full_name) return <>removed from the workspace; choose another one, or none</>;
  return (
    <>
      <Link to="/repos/$id" params={{ id: repo.repo_id }} className={textLink}>
        <bdi>{visible(repo.full_name)}</bdi>
      </Link>
      {repo.base && (
        <>
          {" "}
          at <bdi className="font-mono text-small break-all">{visible(repo.base)}</bdi>
        </>
      )}
    </>
  );
}

interface RepoDraft {
  repo_id: string | null;
  base: string | null;
}
const draftOf = (team: Team): RepoDraft => {
  const own = ownRepo(team);
  return { repo_id: own?.repo_id ?? null, base: own?.base ?? null };
};

/** Chooses the repository of runs that name none. */
export function RepositoryForm({ team, busy }: { team: Team; busy: boolean }) {
  const client = useQueryClient();
  const own = ownRepo(team);
  const edit = useEdit(team, draftOf, {
    read: () => client.fetchQuery({ ...teamQuery(team.id), staleTime: 0 }),
  });
  const { repo_id, base } = edit.draft;
  const repos = useQuery(repoChoicesQuery);
  const change = useMutation({
    mutationKey: changeKey(team),
    mutationFn: () =>
      edit.send((to, from) => setRepo(from, to.repo_id ? { repo_id: to.repo_id, base: to.base } : null)),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.teams }),
  });
  const changed = edit.dirty || Boolean(team.repo && !own);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    change.mutate();
  };
  const problem = change.isError ? asProblem(change.error) : undefined;
  return (
    <form onSubmit={submit} className="flex flex-col gap-2 sm:col-span-2">
      <RepoChoice
        value={repo_id === null ? undefined : { repo_id, ...(base && { base }) }}
        onChange={(next) => edit.set({ repo_id: next?.repo_id ?? null, base: next?.base ?? null })}
        problem={problem}
        label="Repository of its runs"
        hint="For runs that name none. A run can name another one."
      />
      <ClashPart
        clash={edit.clash}
        what="team"
        id={team.id}
        labels={{ repo_id: "Repository of its runs", base: "Begin at" }}
        words={(key, of) =>
          key === "base"
            ? (of.base ?? "")
            : (repos.data?.find(({ id }) => id === of.repo_id)?.full_name ?? of.repo_id ?? "none")
        }
        busy={busy}
        onTheirs={() => {
          change.reset();
          edit.take();
        }}
      />
      {changed && !edit.clash && (
        <Button type="submit" className="self-start" busy={busy}>
          Save the repository
        </Button>
      )}
      {problem && problem.fields.length === 0 && !edit.clash && <ProblemNote problem={problem} />}
    </form>
  );
}
