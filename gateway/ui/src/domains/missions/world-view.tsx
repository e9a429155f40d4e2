// The map of a mission at work, and the same in words.
import { Link } from "@tanstack/react-router";
import { Bot, Box, Server, Target, Workflow, type LucideIcon } from "lucide-react";
import { useMemo, useState } from "react";
import type { MissionDetail } from "~/api/missions";
import { cx } from "~/ui/class";
import { useNarrow } from "~/ui/list/narrow";
import { NarrowFold } from "~/ui/fold";
import { Segments } from "~/ui/segments";
import { Status } from "~/ui/status";
import { visible } from "~/ui/visible";
import { useWorld } from "./use-world";
import { TIERS, worldWords, type Thing, type Tier, type World } from "./world";
import { HEIGHT, placeWorld, TWO_LINES } from "./world-place";

const ICONS: Record<Tier, LucideIcon> = { mission: Target, team: Workflow, agent: Bot, machine: Server };
const TITLES: Record<Tier, string> = {
  mission: "Mission",
  team: "Teams",
  agent: "Agents",
  machine: "Machines",
};

const TO = {
  mission: "/missions/$id",
  team: "/teams/$id",
  agent: "/claws/$id",
  machine: "/fleet/$id",
} as const;

function Name({ thing, className }: { thing: Thing; className: string }) {
  const { tier, page } = thing;
  const words = visible(thing.name);
  if (!page)
    return (
      <span title={words} className={className}>
        <bdi>{words}</bdi>
      </span>
    );
  return (
    <Link
      to={TO[tier]}
      params={{ id: page }}
      title={words}
      className={cx(className, "rounded-control hover:text-accent hover:underline")}
    >
      <bdi>{words}</bdi>
    </Link>
  );
}

/** A thing as a box on the map: its kind, its name and its state. */
function Node({ thing, row }: { thing: Thing; row: number }) {
  const Icon = thing.id.endsWith("/own") ? Box : ICONS[thing.tier];
  const { tone, word } = thing.state;
  const one = row < TWO_LINES;
  return (
    <div
      data-thing={thing.id}
      data-works={thing.works}
      style={{ height: Math.min(44, row - 3) }}
      className={cx(
        "mx-auto flex w-[84%] max-w-60 items-center gap-2 rounded-control border px-2",
        thing.works ? "border-accent bg-raised" : "border-line-strong/60 bg-surface",
      )}
    >
      {!one && (
        <Icon
          size={16}
          aria-hidden
          className={cx("shrink-0 max-sm:hidden", thing.works ? "text-accent" : "text-fg-3")}
        />
      )}
      <div className={cx("flex min-w-0", one ? "flex-row-reverse items-center gap-1.5" : "flex-col")}>
        <Name thing={thing} className={cx("truncate", one ? "text-small" : "font-[550]")} />
        <Status
          tone={tone}
          word={word}
          compact={one}
          title={one ? word : undefined}
          className={cx("text-small", !one && "min-w-0 overflow-hidden")}
        />
      </div>
    </div>
  );
}

/** From the middle of one to the middle of the other; the boxes lie above the ends. */
function Edge({
  from,
  to,
  lit,
}: {
  from: { x: number; y: number };
  to: { x: number; y: number };
  lit: boolean;
}) {
  const down = from.y < to.y ? from.y : to.y;
  const height = Math.max(1, Math.abs(from.y - to.y));
  const [a, b] = from.y <= to.y ? [0, 100] : [100, 0];
  const [left, right] = from.x <= to.x ? [a, b] : [b, a];
  return (
    <svg
      x={`${Math.min(from.x, to.x)}%`}
      y={down}
      width={`${Math.max(0.01, Math.abs(from.x - to.x))}%`}
      height={height}
      viewBox="0 0 100 100"
      preserveAspectRatio="none"
      overflow="visible"
    >
      <path
        d={`M0,${left}C50,${left} 50,${right} 100,${right}`}
        fill="none"
        stroke="currentColor"
        strokeWidth={lit ? 2 : 1.25}
        vectorEffect="non-scaling-stroke"
        className={cx(lit ? "pulse text-accent" : "text-line-strong/60")}
      />
    </svg>
  );
}

export function Drawing({ world, of, height = HEIGHT }: { world: World; of?: string; height?: number }) {
  const narrow = useNarrow();
  const { column, rows, spots } = useMemo(() => placeWorld(world, narrow, height), [world, narrow, height]);
  const works = new Set(world.things.filter((thing) => thing.works).map(({ id }) => id));
  return (
    <svg role="group" aria-label={worldWords(world, of)} width="100%" height={height} className="block">
      <g aria-hidden>
        {world.edges.map(([from, to]) => {
          const [a, b] = [spots.get(from), spots.get(to)];
          // Two agents of one machine: only the line of the one that works is lit.
          return (
            a && b && <Edge key={`${from}>${to}`} from={a} to={b} lit={works.has(from) && works.has(to)} />
          );
        })}
      </g>
      {world.things.map((thing) => {
        const spot = spots.get(thing.id);
        if (!spot) return null;
        const above = thing.tier === "mission" && narrow;
        const wide = above ? column * 2 : column;
        return (
          <foreignObject
            key={thing.id}
            x={`${spot.x - column / 2}%`}
            y={spot.y - rows[thing.tier] / 2}
            width={`${wide}%`}
            height={rows[thing.tier]}
          >
            <div className="flex h-full items-center">
              <Node thing={thing} row={rows[thing.tier]} />
            </div>
          </foreignObject>
        );
      })}
    </svg>
  );
}

/** The same in words. */
export function Words({ world: { things } }: { world: World }) {
  return (
    <dl className="grid grid-cols-[minmax(72px,auto)_1fr] gap-x-6 gap-y-3">
      {TIERS.map((tier) => {
        const here = things.filter((thing) => thing.tier === tier);
        if (here.length === 0) return null;
        return (
          <div key={tier} className="contents">
            <dt className="text-fg-3">{TITLES[tier]}</dt>
            <dd className="min-w-0">
              <ul className="flex flex-col gap-1">
                {here.map((thing) => (
                  <li key={thing.id} className="flex min-w-0 flex-wrap items-center gap-x-3">
                    <Name thing={thing} className="inline-block min-h-8 max-w-full py-1.5 wrap-anywhere" />
                    {thing.of && (
                      <span className="max-w-full text-small text-fg-3 wrap-anywhere">
                        of <bdi>{visible(thing.of)}</bdi>
                      </span>
                    )}
                    <Status {...thing.state} className="text-small" />
                  </li>
                ))}
              </ul>
            </dd>
          </div>
        );
      })}
    </dl>
  );
}

export const LOOKS = [
  ["map", "Map"],
  ["list", "List"],
] as const;

/** The teams of a mission, their agents and machines, and where something happens now. */
export function WorldView({ mission }: { mission: MissionDetail }) {
  const world = useWorld(mission);
  const [look, setLook] = useState<"map" | "list">("map");
  const begun = world && world.things.length > 1;
  const left = world?.left ?? 0;
  return (
    <NarrowFold
      id="world"
      title="World view"
      summary="Who works where"
      aside={<Segments label="Look" value={look} options={LOOKS} onChange={setLook} />}
    >
      <div className="px-4 py-3">
        <div style={look === "map" ? { minHeight: HEIGHT } : undefined}>
          {world && !begun && (
            <p className="text-fg-2">No team works yet. The first ones stand here when their phase begins.</p>
          )}
          {begun && (look === "map" ? <Drawing world={world} /> : <Words world={world} />)}
        </div>
        <p className="min-h-4 pt-2 text-small text-fg-3">
          What works now is lit.
          {left > 0 &&
            ` ${left} more ${left === 1 ? "team or agent has" : "teams and agents have"} no room here.`}
        </p>
      </div>
    </NarrowFold>
  );
}
