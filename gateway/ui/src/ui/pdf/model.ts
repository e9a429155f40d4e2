// Where the pages of a PDF are in a column, which of them are drawn, and how large.

/** Pixels between pages, and around them. */
export const GAP = 12;
/** CSS pixels of a point at 100 %. */
const REAL = 96 / 72;
/** A page that fits the width is not larger than this. */
const MOST_FIT = 1.25;
/** Pixels of one drawn page. A page with more is drawn coarser. */
const MOST_PIXELS = 12_000_000;

const STEPS = [0.25, 0.5, 0.67, 0.8, 1, 1.25, 1.5, 2, 3];

/** The zoom at which a page of this width fits the column. 1 is the real size. */
export const fitting = (column: number, page: number): number =>
  Math.max(0.1, Math.min((column - 2 * GAP) / (page * REAL), MOST_FIT));

/** The next step of the zoom. */
export function zoomed(zoom: number, direction: 1 | -1): number {
  // The zoom that fits lies between steps: a step that is nearly the same would change nothing to see.
  const next =
    direction === 1 ? STEPS.find((step) => step > zoom * 1.02) : STEPS.findLast((step) => step < zoom * 0.98);
  return next ?? zoom;
}

export const scaleOf = (zoom: number): number => zoom * REAL;

/** The upper edge of each page, and the height of all. */
export function placed(heights: readonly number[]): { tops: number[]; height: number } {
  let at = GAP;
  const tops = heights.map((height) => {
    const top = at;
    at += height + GAP;
    return top;
  });
  return { tops, height: at };
}

/** The page, from 1, at this distance from the upper edge of the first. */
export function pageAt(tops: readonly number[], y: number): number {
  const after = tops.findIndex((top) => top > y);
  return after === -1 ? tops.length : Math.max(1, after);
}

/** The pages, from 1, that are drawn: those in view, and those within one view above and below. */
export function near(tops: readonly number[], scroll: number, view: number): [first: number, last: number] {
  return [pageAt(tops, scroll - view), pageAt(tops, scroll + 2 * view)];
}

/** Pixels of the canvas for each CSS pixel. */
export const density = (width: number, height: number, ratio: number): number =>
  Math.min(ratio, Math.sqrt(MOST_PIXELS / (width * height)));
