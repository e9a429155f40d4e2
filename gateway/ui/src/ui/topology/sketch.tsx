import { line, lookOf, plan, type Shape } from "./place";

/** A topology so small that only its form can be seen. Words beside it say the same. */
export function Sketch({ kind, edges, layout }: Shape) {
  const of = plan(layout, 2000, { kind, edges });
  const led = new Set(edges.map(({ to }) => to));
  return (
    <svg
      aria-hidden
      viewBox={`-8 -8 ${Math.max(of.width, 1) + 16} ${Math.max(of.height, 1) + 16}`}
      className="h-10 w-24 shrink-0 text-fg-3"
    >
      {edges.map((edge) => {
        const [a, b] = [of.spots.get(edge.from), of.spots.get(edge.to)];
        const { branch, dashed } = lookOf(kind, edge, !led.has(edge.from));
        return a && b ? (
          <path
            key={`${edge.from}>${edge.to}`}
            d={line(a, b, of, { branch }).path}
            fill="none"
            stroke="currentColor"
            strokeWidth={1.5}
            strokeDasharray={dashed ? "3 2" : undefined}
            vectorEffect="non-scaling-stroke"
          />
        ) : null;
      })}
      {[...of.spots].map(([node, { x, y }]) => (
        <rect key={node} x={x} y={y} {...of.box} rx={12} className="fill-accent" />
      ))}
    </svg>
  );
}
