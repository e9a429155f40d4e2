import { number } from "~/ui/bytes";

const WIDTH = 60;
const HEIGHT = 16;

/** What an actor handled in the last minute, as a line; its sum is read out and stands in the tooltip. */
export function Spark({ values }: { values: number[] }) {
  const sum = values.reduce((total, one) => total + one, 0);
  const most = Math.max(1, ...values);
  const step = WIDTH / (values.length - 1);
  const points = values
    .map((one, at) => `${(at * step).toFixed(1)},${(HEIGHT - 1 - (one / most) * (HEIGHT - 2)).toFixed(1)}`)
    .join(" ");
  const words = `${number(sum)} in the last minute`;
  return (
    <span title={words} className="inline-flex justify-end">
      <span className="sr-only">{words}</span>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        width={WIDTH}
        height={HEIGHT}
        aria-hidden
        className={sum > 0 ? "text-accent" : "text-fg-3"}
      >
        <polyline points={points} fill="none" stroke="currentColor" strokeWidth="1.25" />
      </svg>
    </span>
  );
}
