// Which teams the list shows, and in which order.
import type { Team } from "~/api/teams";
import { compareNames } from "~/ui/list/sort";
import { cleared, type Filters } from "~/ui/list/saved";

/** The order without a choice. */
export const OWN = "name";

const begun = ({ last_run: run }: Team) => (run ? Date.parse(run.created_at) : undefined);
const cost = ({ last_run: run }: Team) => run?.cost_microusd;

const FIGURES: Record<string, (team: Team) => number | undefined> = { run: begun, cost };
const SORTS = ["-name", "-run", "run", "-cost"];

/** The address without what the list does not know. */
export const readAsked = ({ q, sort }: { [name: string]: string | undefined }): Filters =>
  cleared({ q, sort: SORTS.find((one) => one === sort) });

/** Teams that have no such figure come last, whichever way the others are sorted. */
export function sorted(teams: readonly Team[], by: string): Team[] {
  const down = by.startsWith("-") ? -1 : 1;
  const figure = FIGURES[by.replace(/^-/, "")];
  const names = (a: Team, b: Team) => compareNames(a.name, b.name) || (a.id < b.id ? -1 : 1);
  if (!figure) return teams.toSorted((a, b) => down * names(a, b));
  return teams.toSorted((a, b) => {
    const [x, y] = [figure(a), figure(b)];
    if (x === undefined || y === undefined)
      return Number(x === undefined) - Number(y === undefined) || names(a, b);
    return down * (x - y) || names(a, b);
  });
}

export function shown(teams: readonly Team[], q: string): Team[] {
  const parts = q.toLowerCase().split(/\s+/).filter(Boolean);
  return teams.filter((team) =>
    parts.every((part) => `${team.name} ${team.description ?? ""}`.toLowerCase().includes(part)),
  );
}
