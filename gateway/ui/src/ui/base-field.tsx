import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { asProblem } from "~/api/problem";
import { branchesQuery, type Repo } from "~/api/repos";
import { useSettled } from "./list/settled";
import { SuggestField } from "./suggest-field";
import { visible } from "./visible";

interface Props {
  /** The repository. */
  id: string;
  repo: Repo | undefined;
  value: string;
  onChange: (base: string) => void;
  error: string | undefined;
}

/** The text may become a commit id. */
const HEX = /^[0-9a-f]+$/;

/** Where work on a repository begins. The branches are read from its host when the field is used. */
export function BaseField({ id, repo, value, onChange, error }: Props) {
  const [used, setUsed] = useState(false);
  const all = useQuery({ ...branchesQuery(id, ""), enabled: used });
  const text = value.trim();
  const asked = useSettled(all.data?.more ? text : "");
  const found = useQuery({ ...branchesQuery(id, asked), enabled: used && asked !== "" });
  const listed = found.data ?? all.data;
  const usual = repo?.default_branch ?? undefined;
  const names = listed?.names ?? [];
  const first = usual !== undefined && names.includes(usual) ? [usual] : [];
  const ordered = [...first, ...names.filter((name) => name !== usual)];
  const options = ordered.map((name) => ({
    value: name,
    label: visible(name),
    note: name === usual ? "The default branch" : undefined,
  }));
  return (
    <SuggestField
      label="Begin at"
      placeholder={visible(usual ?? "the default branch")}
      maxLength={500}
      value={value}
      onChange={onChange}
      onFocus={() => setUsed(true)}
      options={options}
      listName="Branches"
      note={noteOf()}
      hint="A branch, or a whole commit id."
      error={error}
    />
  );

  function noteOf() {
    if (all.isPending) return "The branches are being read …";
    const failed = found.error ?? all.error;
    if (failed) return asProblem(failed).detail;
    if (names.length === 0 && text === "") return "The repository has no branch.";
    const lower = text.toLowerCase();
    const fits = names.some((name) => name.toLowerCase().includes(lower));
    if (!fits && all.data?.more && (asked !== text || found.isFetching)) return "Searching …";
    if (!fits && !HEX.test(text)) return "No branch has this in its name.";
    return listed?.more ? `Only ${names.length} branches are listed. Type to find the others.` : undefined;
  }
}
