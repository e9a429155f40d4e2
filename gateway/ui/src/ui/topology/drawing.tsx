import { Link } from "@tanstack/react-router";
import { useLayoutEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { cx } from "../class";
import { Status, type Tone } from "../status";
import { visible } from "../visible";
import { kindSays } from "./kinds";
import { line, lookOf, plan, type Drawn, type Edge, type Placed } from "./place";

/** How a node stands. */
export interface NodeState {
  tone: Tone;
  word: string;
  /** A further word: its lap, its figure. */
  note?: string | undefined;
}

/** Where a node leads: somewhere on the page, or to a run. */
export type Way = { show: () => void } | { run: string };

interface Props {
  /** The way of working together: each has a drawing of its own, and a sentence. */
  kind: string;
  nodes: readonly Drawn[];
  edges: readonly Edge[];
  layout: readonly Placed[];
  /** What the drawing is of, to those who do not see it. */
  label: string;
  stateOf?: (node: string) => NodeState | undefined;
  /** What stands below a node's name where it has no state. */
  below?: (node: string) => ReactNode;
  /** Where a node leads; one that leads nowhere is no button. */
  wayOf?: (node: string) => Way | undefined;
}

const LIT: Partial<Record<Tone, string>> = {
  running: "border-accent bg-accent/10",
  done: "border-done/70 bg-done/8",
  failed: "border-failed bg-failed/8",
  waiting: "border-waiting bg-waiting/8",
};

function useRoom() {
  const box = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState(0);
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    const watch = new ResizeObserver(() => setRoom(element.clientWidth));
    watch.observe(element);
    setRoom(element.clientWidth);
    return () => watch.disconnect();
  }, []);
  return { box, room };
}

/** The edges alone; the nodes say in words who follows whom by their order. */
function Lines({
  kind,
  edges,
  of,
  lit,
}: {
  kind: string;
  edges: readonly Edge[];
  of: ReturnType<typeof plan>;
  lit: Set<string>;
}) {
  const led = new Set(edges.map(({ to }) => to));
  return (
    <svg aria-hidden width={of.width} height={of.height} className="absolute inset-0">
      {edges.map((edge) => {
        const { from, to } = edge;
        const [a, b] = [of.spots.get(from), of.spots.get(to)];
        if (!a || !b) return null;
        const look = lookOf(kind, edge, !led.has(from));
        const { path, tip, back } = line(a, b, of, look);
        return (
          <g key={`${from}>${to}`} className={lit.has(to) ? "text-accent" : "text-line-strong"}>
            <path
              d={path}
              fill="none"
              stroke="currentColor"
              strokeWidth={lit.has(to) ? 2 : 1.25}
              strokeDasharray={look.dashed && !lit.has(to) ? "4 3" : undefined}
            />
            {look.tip && <polygon points={tip} fill="currentColor" />}
            {look.back && <polygon points={back} fill="currentColor" />}
          </g>
        );
      })}
    </svg>
  );
}

function Name({ words, way }: { words: string; way: Way | undefined }) {
  const leads = "min-h-6 truncate rounded-control text-left font-[550] hover:text-accent hover:underline";
  const name = <bdi>{words}</bdi>;
  if (!way)
    return (
      <span title={words} className="truncate font-[550]">
        {name}
      </span>
    );
  return "run" in way ? (
    <Link to="/runs/$id" params={{ id: way.run }} title={words} className={leads}>
      {name}
    </Link>
  ) : (
    <button type="button" title={words} onClick={way.show} className={leads}>
      {name}
    </button>
  );
}

/** Who works with whom. Each node is as bright as its state; it scrolls by itself where it is wider than the screen. */
export function Topology({ kind, nodes, edges, layout, label, stateOf, below, wayOf }: Props) {
  const { box, room } = useRoom();
  const of = useMemo(() => plan(layout, room - 32, { kind, edges }), [layout, room, kind, edges]);
  const lit = new Set(nodes.filter(({ id }) => stateOf?.(id)?.tone === "running").map(({ id }) => id));
  return (
    <>
      <div ref={box} role="region" aria-label={label} tabIndex={0} className="overflow-x-auto p-4">
        <div className="relative mx-auto" style={{ width: of.width, height: of.height }}>
          <Lines kind={kind} edges={edges} of={of} lit={lit} />
          <ul>
            {nodes.map(({ id, label: name }) => {
              const spot = of.spots.get(id);
              if (!spot) return null;
              const state = stateOf?.(id);
              const words = visible(name || id);
              return (
                <li
                  key={id}
                  data-node={id}
                  data-tone={state?.tone}
                  className={cx(
                    "absolute flex flex-col justify-center rounded-control border px-2.5 transition-colors duration-80",
                    (state && LIT[state.tone]) ?? "border-line-strong/60 bg-canvas",
                  )}
                  style={{ left: spot.x, top: spot.y, ...of.box }}
                >
                  <Name words={words} way={wayOf?.(id)} />
                  <span className="flex min-w-0 items-center gap-1.5 overflow-hidden text-small whitespace-nowrap text-fg-3">
                    {state ? <Status tone={state.tone} word={state.word} /> : below?.(id)}
                    {state?.note && <span className="truncate">{state.note}</span>}
                  </span>
                </li>
              );
            })}
          </ul>
        </div>
      </div>
      {kindSays(kind) && <p className="px-4 pb-3 text-fg-2">{kindSays(kind)}</p>}
    </>
  );
}
