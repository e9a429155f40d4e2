import { Link } from "@tanstack/react-router";
import type { Mission } from "~/api/missions";
import { DASH } from "~/ui/bytes";
import type { ListColumn } from "~/ui/list/list-table";
import { money } from "~/ui/run-state";
import { Status } from "~/ui/status";
import { Ago } from "~/ui/time";
import { Person } from "~/ui/person";
import { visible } from "~/ui/visible";
import { goalLine, since } from "./list";
import { PhasesLine } from "./phases-line";
import { missionState, progressWord, reasonWord } from "./words";

export const NONE = <span className="text-fg-3">{DASH}</span>;

/** A budget in dollars, as the other sums are written. */
export const budgetWord = (usd: number | null | undefined) =>
  usd === null || usd === undefined ? "no limit" : money(usd * 1e6);

export function Title({ mission }: { mission: Mission }) {
  return (
    <Link
      to="/missions/$id"
      params={{ id: mission.id }}
      title={mission.title}
      className="block truncate rounded-control font-[550] hover:text-accent hover:underline"
    >
      <bdi>{visible(mission.title)}</bdi>
    </Link>
  );
}

export function Creator({ mission: { created_by: person } }: { mission: Mission }) {
  if (!person) return NONE;
  return <Person user={person} />;
}

/** What the mission has cost. One that never began has no cost. */
export const costWord = ({ launched_at, cost_microusd }: Mission) =>
  launched_at ? money(cost_microusd) : undefined;

/** The widths do not follow the words, so a mission that moves on moves nothing. */
export const COLUMNS: ListColumn<Mission>[] = [
  {
    name: "Mission",
    orders: ["name", "-name"],
    show: (mission) => (
      <>
        <Title mission={mission} />
        <span className="block truncate text-small text-fg-3 max-sm:hidden" title={goalLine(mission.goal)}>
          <bdi>{visible(goalLine(mission.goal))}</bdi>
        </span>
        <span className="mt-1 block max-w-40 md:hidden">
          <PhasesLine phases={mission.phases} />
        </span>
        <span className="block truncate text-small text-fg-3 sm:hidden">
          <Ago at={since(mission)} />
        </span>
      </>
    ),
  },
  {
    name: "Phases",
    look: "w-44 max-md:hidden",
    show: ({ phases }) => (
      <span className="flex flex-col gap-1.5">
        <PhasesLine phases={phases} />
        <span className="text-small text-fg-3">{progressWord(phases)}</span>
      </span>
    ),
  },
  {
    name: "State",
    look: "w-36 max-sm:w-32 max-sm:px-2",
    show: (mission) => <Status {...missionState(mission)} title={reasonWord(mission)} />,
  },
  {
    name: "Created by",
    look: "w-36 max-xl:hidden",
    cell: "text-fg-2",
    show: (mission) => <Creator mission={mission} />,
  },
  {
    name: "Cost",
    look: "w-28 text-right max-lg:hidden",
    cell: "whitespace-nowrap text-fg-2 tabular-nums",
    orders: ["-cost"],
    show: (mission) => costWord(mission) ?? NONE,
  },
  {
    name: "Budget",
    look: "w-28 text-right max-xl:hidden",
    cell: "whitespace-nowrap text-fg-2",
    orders: ["-budget"],
    show: ({ budget_usd }) => (budget_usd == null ? NONE : budgetWord(budget_usd)),
  },
  {
    name: "Since",
    look: "w-36 text-right max-sm:hidden",
    cell: "whitespace-nowrap text-fg-2",
    orders: ["-since", "since"],
    show: (mission) => <Ago at={since(mission)} />,
  },
];
