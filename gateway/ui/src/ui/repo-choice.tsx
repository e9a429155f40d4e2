import type { Problem } from "~/api/problem";
import type { RunRepo } from "~/api/repos";
import { BaseField } from "./base-field";
import { Choice } from "./field";
import { useRepoOptions } from "./repo-options";
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
  const { repos, chosen, searched, ...asking } = useRepoOptions(value?.repo_id);
  if (!repos || (repos.length === 0 && !searched)) return null;
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Choice
        label={label}
        value={value?.repo_id ?? ""}
        {...asking}
        onChange={(event) => onChange(event.target.value ? { repo_id: event.target.value } : undefined)}
        hint={hint}
        error={problem?.field("/repo/repo_id")}
      >
        {!searched && <option value="">None</option>}
        {repos.map((repo) => (
          <option key={repo.id} value={repo.id}>
            {visible(repo.full_name)}
          </option>
        ))}
        {/* Behind what was found it stands only as the present choice. */}
        {searched && !value && <option value="">None</option>}
      </Choice>
      {value && (
        <BaseField
          id={value.repo_id ?? ""}
          repo={chosen}
          value={value.base ?? ""}
          onChange={(base) => onChange({ repo_id: value.repo_id ?? null, ...(base && { base }) })}
          error={problem?.field("/repo/base")}
        />
      )}
    </div>
  );
}
