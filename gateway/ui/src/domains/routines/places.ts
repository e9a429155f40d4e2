// Where due times lie on a line from now to the last of them.

export interface Mark {
  at: string;
  /** Per cent of the line. */
  left: number;
}

/** The places of due times. The first place is now, the last one is the last due time. */
export function marksOf(due: readonly string[], now: number): Mark[] {
  const last = due.at(-1);
  if (!last) return [];
  const span = Math.max(1, Date.parse(last) - now);
  return due.map((at) => {
    const share = (Date.parse(at) - now) / span;
    return { at, left: Math.round(Math.min(1, Math.max(0, share)) * 1000) / 10 };
  });
}
