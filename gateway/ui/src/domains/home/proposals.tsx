import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { repoChoicesQuery } from "~/api/repos";
import type { TemplateBrief } from "~/api/teams";
import { Button } from "~/ui/button";
import { visible } from "~/ui/visible";
import { Fits } from "./propose";
import { recentQuery } from "./queries";
import type { Worker } from "./workers";

/** A pause of this length ends a word for which it is worth looking. */
const PAUSE_MS = 150;

/** The value once it has not changed for a moment. */
function usePaused<T>(value: T): T {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return paused;
}

interface Props {
  workers: readonly Worker[];
  /** Those that a team can be created from. */
  templates: readonly TemplateBrief[];
  chosen: string;
  goal: string;
  repo: string | null | undefined;
  onChoose: (key: string) => void;
}

const KINDS = { team: "Team", agent: "Single agent", template: "Template" } as const;
const NO_RUNS: never[] = [];

/** Who fits the goal, and why. One click chooses. */
export function Proposals({ workers, templates, chosen, goal, repo, onChoose }: Props) {
  const runs = useQuery(recentQuery).data ?? NO_RUNS;
  const repos = useQuery(repoChoicesQuery).data;
  const language = repos?.find(({ id }) => id === repo)?.language ?? undefined;
  const text = usePaused(goal);
  const empty = text.trim() === "";
  // The texts of all who could work are read for the first letter, and for no other.
  const fits = useMemo(
    () => (empty ? undefined : new Fits({ workers, templates, runs })),
    [empty, workers, templates, runs],
  );
  const found = useMemo(() => fits?.of(text, language) ?? [], [fits, text, language]);
  if (found.length === 0) return null;
  return (
    <section aria-label="Who fits" className="rounded-panel border border-line">
      <h3 className="border-b border-line px-3 py-2 text-small text-fg-2">Who fits</h3>
      <ul className="divide-y divide-line">
        {found.map(({ kind, key, name, reasons }) => (
          <li key={key} className="flex items-start justify-between gap-3 px-3 py-2">
            <div className="min-w-0">
              <p className="truncate">
                <bdi className="font-[550]">{visible(name)}</bdi>{" "}
                <span className="text-small text-fg-3">{KINDS[kind]}</span>
              </p>
              <p className="text-small break-words text-fg-2">{visible(reasons.join(" "))}</p>
            </div>
            <Button disabled={key === chosen} onClick={() => onChoose(key)}>
              {key === chosen ? "Chosen" : "Choose"}
              <span className="sr-only"> {visible(name)}</span>
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
