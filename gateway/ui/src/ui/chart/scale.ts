// The scale of charts that have a zero.

/** A round number that is not below the highest value: the top of the scale. */
export function topOf(values: readonly number[]): number {
  const high = Math.max(0, ...values);
  if (high === 0) return 1;
  const unit = 10 ** Math.floor(Math.log10(high));
  return unit * ([1, 2, 5, 10].find((step) => step * unit >= high) ?? 10);
}

/** The points of a line in a box of 100 by 100. The highest value is at its top. */
export function linePoints(values: readonly number[]): string {
  const high = Math.max(...values, 0);
  const step = 100 / Math.max(1, values.length - 1);
  return values
    .map(
      (value, at) => `${(at * step).toFixed(2)},${(high > 0 ? 100 - (value / high) * 100 : 100).toFixed(2)}`,
    )
    .join(" ");
}
