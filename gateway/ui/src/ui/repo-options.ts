// The repositories that a form offers. The gateway lists the newest of them; where there are more, it searches.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { MOST_REPOS, repoChoicesQuery, repoQuery, reposFoundQuery, type Repo } from "~/api/repos";
import { useSettled } from "./list/settled";

/** What is here already, until the gateway's own answer for the typed text is here. */
const named = (repos: readonly Repo[], text: string) =>
  repos.filter(({ full_name }) => full_name.toLowerCase().includes(text.toLowerCase()));

export function useRepoOptions(id: string | null | undefined) {
  const all = useQuery(repoChoicesQuery).data;
  const [typed, setTyped] = useState("");
  const text = typed.trim();
  const full = (all?.length ?? 0) >= MOST_REPOS;
  const asked = useSettled(full ? text : "");
  const found = useQuery({ ...reposFoundQuery(asked), enabled: full });
  const listed = all?.find((repo) => repo.id === id);
  const own = useQuery({ ...repoQuery(id ?? ""), enabled: full && Boolean(id) && !listed });
  const chosen = listed ?? own.data;
  if (!all || !full) return { repos: all, chosen };
  const answered = asked === text && !found.isPlaceholderData && found.data !== undefined;
  const repos = answered ? found.data : named(all, text);
  // The chosen one keeps its name, whatever is searched.
  const kept = chosen && !repos.some((repo) => repo.id === chosen.id) ? [chosen] : [];
  return {
    repos: text ? [...repos, ...kept] : [...kept, ...repos],
    chosen,
    searched: text !== "",
    onSearch: setTyped,
    partial:
      repos.length >= MOST_REPOS
        ? `Only the ${MOST_REPOS} repositories that changed last are listed. Type to find the others.`
        : undefined,
  };
}
