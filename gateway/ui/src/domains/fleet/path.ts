// A line over points that are even in time, as the path of an SVG. Gaps are gaps; a point alone is a dot.

export function path(values: (number | null)[], top: number, width: number, height: number): string {
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  const parts: string[] = [];
  let open = false;
  values.forEach((value, index) => {
    if (value === null) {
      open = false;
      return;
    }
    const x = (index * step).toFixed(1);
    // One pixel of room above and below, so that neither edge cuts the line.
    const y = (height - 1 - Math.min(1, Math.max(0, value / top)) * (height - 2)).toFixed(1);
    const next = values[index + 1];
    parts.push(open ? `L${x} ${y}` : `M${x} ${y}`);
    if (!open && (next === null || next === undefined)) parts.push("h0.01");
    open = true;
  });
  return parts.join("");
}

/** The point nearest to a place, which is a share of the width. */
export const pointAt = (share: number, points: number): number =>
  Math.round(Math.min(1, Math.max(0, share)) * Math.max(0, points - 1));

/** The point that an arrow key leads to. The first press begins at the newest point. */
export function moved(key: string, at: number | undefined, points: number): number | undefined {
  const last = points - 1;
  if (last < 0) return undefined;
  if (key === "Home") return 0;
  if (key === "End") return last;
  if (key !== "ArrowLeft" && key !== "ArrowRight") return undefined;
  if (at === undefined) return last;
  return Math.min(last, Math.max(0, at + (key === "ArrowLeft" ? -1 : 1)));
}
