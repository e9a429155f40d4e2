import { lookOf, plan, type Shape } from "./place";

/** Boxes are made small and rows are set far apart, so that the edges are what is seen. */
const SMALL = { width: 88, height: 40 };
const APART = 1.7;

/** A topology so small that only its form can be seen. Words beside it say the same. */
export function Sketch({ kind, edges, layout }: Shape) {
  const { spots, box, sideways, width, height } = plan(layout, 2000, { kind, edges });
  const led = new Set(edges.map(({ to }) => to));
  const tall = sideways ? 1 : APART;
  const middle = (node: string) => {
    const spot = spots.get(node);
    return spot && { x: spot.x + box.width / 2, y: (spot.y + box.height / 2) * tall };
  };
  return (
    <svg
      aria-hidden
      viewBox={`0 0 ${Math.max(width, 1)} ${Math.max(height * tall, 1)}`}
      className="h-12 w-24 shrink-0 text-fg-3"
    >
      {edges.map((edge) => {
        const [a, b] = [middle(edge.from), middle(edge.to)];
        const { branch, dashed } = lookOf(kind, edge, !led.has(edge.from));
        if (!a || !b) return null;
        const bend = branch ? `V${(a.y + b.y) / 2}H${b.x}V${b.y}` : `L${b.x} ${b.y}`;
        return (
          <path
            key={`${edge.from}>${edge.to}`}
            d={`M${a.x} ${a.y}${bend}`}
            fill="none"
            stroke="currentColor"
            strokeWidth={1.5}
            strokeDasharray={dashed ? "3 2" : undefined}
            vectorEffect="non-scaling-stroke"
          />
        );
      })}
      {[...spots.keys()].map((node) => {
        const at = middle(node);
        return (
          at && (
            <rect
              key={node}
              x={at.x - SMALL.width / 2}
              y={at.y - SMALL.height / 2}
              {...SMALL}
              rx={12}
              className="fill-accent"
            />
          )
        );
      })}
    </svg>
  );
}
