// Which missions the list shows, in which order, and in which column of the board.
import type { Mission, MissionStatus } from "~/api/missions";
import { compareNames } from "~/ui/list/sort";
import { cleared, type Filters } from "~/ui/list/saved";
import { isFinal } from "./words";

/** The order without a choice: the newest first. */
export const OWN = "-since";

export const STATES: { value: MissionStatus | "" | "ended"; label: string }[] = [
  { value: "", label: "Any" },
  { value: "draft", label: "Draft" },
  { value: "running", label: "Running" },
  { value: "paused", label: "Paused" },
  { value: "ended", label: "Ended" },
];

const SORTS = ["since", "name", "-name", "-budget", "-cost"];

/** The address without what the list does not know. */
export const readAsked = ({ q, state, sort, view }: { [name: string]: string | undefined }): Filters =>
  cleared({
    q,
    state: STATES.find((one) => one.value === state)?.value,
    sort: SORTS.find((one) => one === sort),
    view: view === "board" ? view : undefined,
  });

export const narrows = ({ q, state }: Filters) => Boolean(q ?? state);

/** Since when it is as it is: its end, its launch, or when it was created. */
export const since = ({ ended_at, launched_at, created_at }: Mission): string =>
  ended_at ?? launched_at ?? created_at;

export type Column = "draft" | "running" | "paused" | "ended";
export const columnOf = ({ status }: Pick<Mission, "status">): Column =>
  isFinal(status) ? "ended" : (status as Column);

export const COLUMNS: [Column, string][] = [
  ["draft", "Draft"],
  ["running", "Running"],
  ["paused", "Paused"],
  ["ended", "Ended"],
];

/** The columns of the board, each in the order of the list. */
export const board = (missions: readonly Mission[]): [Column, string, Mission[]][] =>
  COLUMNS.map(([column, name]) => [column, name, missions.filter((one) => columnOf(one) === column)]);

export function shown(missions: readonly Mission[], { q = "", state = "" }: Filters): Mission[] {
  const parts = q.toLowerCase().split(/\s+/).filter(Boolean);
  return missions.filter(
    (mission) =>
      (state === "" || columnOf(mission) === state) &&
      parts.every((part) => `${mission.title} ${mission.goal}`.toLowerCase().includes(part)),
  );
}

export function sorted(missions: readonly Mission[], by: string): Mission[] {
  const down = by.startsWith("-") ? -1 : 1;
  const time = (a: Mission, b: Mission) =>
    Date.parse(since(b)) - Date.parse(since(a)) || (a.id < b.id ? 1 : -1);
  switch (by.replace(/^-/, "")) {
    case "name":
      return missions.toSorted((a, b) => down * compareNames(a.title, b.title) || time(a, b));
    case "budget":
      // Without a limit there is no figure to compare, so those come last.
      return missions.toSorted((a, b) => (b.budget_usd ?? -1) - (a.budget_usd ?? -1) || time(a, b));
    case "cost":
      return missions.toSorted((a, b) => b.cost_microusd - a.cost_microusd || time(a, b));
    default:
      return missions.toSorted((a, b) => -down * time(a, b));
  }
}

/** The first line of a goal that says something, without the signs of Markdown at its beginning. */
export const goalLine = (goal: string): string =>
  goal
    .split("\n")
    .map((line) => line.replace(/^[\s#>*+-]+/, "").trim())
    .find((line) => line !== "")
    ?.slice(0, 200) ?? "";
