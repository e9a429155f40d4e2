import { plan, BOX, type Edge, type Placed } from "./place";

/** A topology so small that only its form can be seen. Words beside it say the same. */
export function Sketch({ edges, layout }: { edges: readonly Edge[]; layout: readonly Placed[] }) {
  const { spots, width, height } = plan(layout, 2000);
  const middle = (node: string) => {
    const spot = spots.get(node);
    return spot && { x: spot.x + BOX.width / 2, y: spot.y + BOX.height / 2 };
  };
  return (
    <svg
      aria-hidden
      viewBox={`-8 -8 ${Math.max(width, 1) + 16} ${Math.max(height, 1) + 16}`}
      className="h-10 w-24 shrink-0 text-fg-3"
    >
      {edges.map(({ from, to }) => {
        const [a, b] = [middle(from), middle(to)];
        return a && b ? (
          <line
            key={`${from}>${to}`}
            x1={a.x}
            y1={a.y}
            x2={b.x}
            y2={b.y}
            stroke="currentColor"
            strokeWidth={1.5}
            vectorEffect="non-scaling-stroke"
          />
        ) : null;
      })}
      {[...spots].map(([node, { x, y }]) => (
        <rect key={node} x={x} y={y} width={BOX.width} height={BOX.height} rx={12} className="fill-accent" />
      ))}
    </svg>
  );
}
