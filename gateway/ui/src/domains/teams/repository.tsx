import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState, type SubmitEvent } from "react";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import type { RunRepo } from "~/api/repos";
import type { Team } from "~/api/teams";
import { Button } from "~/ui/button";
import { textLink } from "~/ui/class";
import { ProblemNote } from "~/ui/problem";
import { RepoChoice } from "~/ui/repo-choice";
import { visible } from "~/ui/visible";
import { changeKey, setRepo } from "./queries";

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

/** Chooses the repository of runs that name none. */
export function RepositoryForm({ team, busy }: { team: Team; busy: boolean }) {
  const client = useQueryClient();
  const own = ownRepo(team);
  const [repo, setChosen] = useState(own);
  const change = useMutation({
    mutationKey: changeKey(team),
    mutationFn: (next: RunRepo | undefined) =>
      setRepo(team, next?.repo_id ? { repo_id: next.repo_id, base: next.base ?? null } : null),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.teams }),
  });
  const changed =
    repo?.repo_id !== own?.repo_id || (repo?.base ?? "") !== (own?.base ?? "") || Boolean(team.repo && !own);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    change.mutate(repo);
  };
  const problem = change.isError ? asProblem(change.error) : undefined;
  return (
    <form onSubmit={submit} className="flex flex-col gap-2 sm:col-span-2">
      <RepoChoice
        value={repo}
        onChange={setChosen}
        problem={problem}
        label="Repository of its runs"
        hint="For runs that name none. A run can name another one."
      />
      {changed && (
        <Button type="submit" className="self-start" busy={busy}>
          Save the repository
        </Button>
      )}
      {problem && problem.fields.length === 0 && <ProblemNote problem={problem} />}
    </form>
  );
}
