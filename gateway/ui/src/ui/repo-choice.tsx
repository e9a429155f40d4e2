import { useQuery } from "@tanstack/react-query";
import type { Problem } from "~/api/problem";
import { repoChoicesQuery, type RunRepo } from "~/api/repos";
import { Choice, Field } from "./field";
import { visible } from "./visible";

interface Props {
  value: RunRepo | undefined;
  onChange: (value: RunRepo | undefined) => void;
  problem: Problem | undefined;
  label?: string;
  hint?: string;
}

/** The repository that a run works on, and where it begins. Without repositories there is nothing to choose. */
export function RepoChoice({
  value,
  onChange,
  problem,
  label = "Repository",
  hint = "Its files are in the sandbox when the run begins.",
}: Props) {
  const repos = useQuery(repoChoicesQuery);
  if (!repos.data || repos.data.length === 0) return null;
  const chosen = repos.data.find(({ id }) => id === value?.repo_id);
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Choice
        label={label}
        value={value?.repo_id ?? ""}
        onChange={(event) => onChange(event.target.value ? { repo_id: event.target.value } : undefined)}
        hint={hint}
        error={problem?.field("/repo/repo_id")}
      >
        <option value="">None</option>
        {repos.data.map((repo) => (
          <option key={repo.id} value={repo.id}>
            {visible(repo.full_name)}
          </option>
        ))}
      </Choice>
      {value && (
        <Field
          label="Begin at"
          autoComplete="off"
          spellCheck="false"
          placeholder={visible(chosen?.default_branch ?? "the default branch")}
          value={value.base ?? ""}
          onChange={(event) =>
            onChange({
              repo_id: value.repo_id ?? null,
              ...(event.target.value && { base: event.target.value }),
            })
          }
          hint="A branch, or a whole commit id."
          error={problem?.field("/repo/base")}
        />
      )}
    </div>
  );
}
