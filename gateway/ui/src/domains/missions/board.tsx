import { useMemo, useState } from "react";
import type { Mission } from "~/api/missions";
import { Button } from "~/ui/button";
import { cx } from "~/ui/class";
import { inlineCode } from "~/ui/inline-code";
import { useRowOrder } from "~/ui/row-order";
import { Status } from "~/ui/status";
import { Ago } from "~/ui/time";
import { visible } from "~/ui/visible";
import { board, goalLine, since, type Column } from "./list";
import { PhasesLine } from "./phases-line";
import { costWord, Creator, Title } from "./table";
import { missionState, progressWord, reasonWord } from "./words";

/** A column begins with so many: more at once are no board any more. */
const FIRST = 30;

interface Shown {
  mission: Mission;
  gone: boolean;
}

function Card({ mission, gone }: Shown) {
  const why = reasonWord(mission);
  const cost = costWord(mission);
  return (
    <li
      data-row
      className={cx(
        "flex min-w-0 flex-col gap-2 rounded-panel border border-line bg-surface p-3 hover:border-line-strong",
        gone && "line-through opacity-60",
      )}
    >
      <div className="min-w-0">
        <Title mission={mission} />
        <p className="line-clamp-2 break-words text-small text-fg-3">
          <bdi>{visible(goalLine(mission.goal))}</bdi>
        </p>
      </div>
      <PhasesLine phases={mission.phases} />
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-0.5 text-small">
        <Status {...missionState(mission)} />
        <span className="text-fg-3">{progressWord(mission.phases)}</span>
      </div>
      {why && <p className="line-clamp-2 break-words text-small text-fg-2">{inlineCode(visible(why))}</p>}
      <div className="flex min-w-0 flex-wrap items-center justify-between gap-x-3 text-small text-fg-3">
        <span className="min-w-0">
          <Creator mission={mission} />
        </span>
        <span className="flex gap-3">
          {cost && (
            <span className="tabular-nums">
              <span className="sr-only">Cost: </span>
              {cost}
            </span>
          )}
          <Ago at={since(mission)} />
        </span>
      </div>
    </li>
  );
}

function Cards({ name, missions }: { name: string; missions: Shown[] }) {
  const [most, setMost] = useState(FIRST);
  return (
    <section aria-label={name} className="flex min-w-0 flex-col gap-2">
      <h2 className="flex items-baseline gap-2 text-head-3">
        {name}
        <span className="font-normal text-fg-3 tabular-nums">{missions.length}</span>
      </h2>
      {missions.length === 0 && (
        <p className="rounded-panel border border-dashed border-line px-3 py-2 text-fg-3">No mission</p>
      )}
      <ul className="flex flex-col gap-2">
        {missions.slice(0, most).map((one) => (
          <Card key={one.mission.id} {...one} />
        ))}
      </ul>
      {missions.length > most && (
        <Button look="quiet" className="self-start" onClick={() => setMost(most + FIRST)}>
          Show more
        </Button>
      )}
    </section>
  );
}

/** The missions by what they do now. Nothing moves while the pointer or the focus is on the board. */
export function Board({ missions, chosen }: { missions: Mission[]; chosen: string }) {
  const lines = useMemo(
    () =>
      board(missions).flatMap(([column, , rows]) =>
        // One that changes its column while somebody reads is struck through here, and waits there.
        rows.map((mission) => ({ id: `${column} ${mission.id}`, column, mission })),
      ),
    [missions],
  );
  const { rows, waiting, held, release, bind } = useRowOrder(lines, chosen);
  const of = (column: Column) =>
    rows.flatMap(({ item, gone }) => (item.column === column ? [{ mission: item.mission, gone }] : []));
  return (
    <div {...bind} className="flex min-w-0 flex-col gap-2">
      <p className="flex h-7 items-center gap-3 text-small text-fg-3">
        {missions.length} {missions.length === 1 ? "mission" : "missions"}
        {held && <span className="max-sm:hidden">order held</span>}
        {waiting > 0 && (
          <Button className="h-6" onClick={release}>
            {waiting} new
          </Button>
        )}
      </p>
      <div className="grid items-start gap-4 sm:grid-cols-2 xl:grid-cols-4">
        {board([]).map(([column, name]) => (
          <Cards key={column} name={name} missions={of(column)} />
        ))}
      </div>
    </div>
  );
}
