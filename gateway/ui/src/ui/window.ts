// Long tables: only the rows in view (and some around them) are drawn. Rows have one known height.
import { useEffect, useState, type RefObject } from "react";

/** Below this a list is drawn whole: then a browser's own search finds everything. */
export const WHOLE = 120;
const AROUND = 8;
/** Rows come and go by this many, so that most frames of a scroll change nothing. */
const STEP = 4;

/** Pure part: which rows to draw, given where the list begins relative to the view. */
export function visible(count: number, height: number, top: number, view: number): [number, number] {
  if (count <= WHOLE) return [0, count];
  const first = Math.max(0, Math.floor((-top / height - AROUND) / STEP) * STEP);
  const least = Math.ceil(((view - top) / height + AROUND) / STEP) * STEP;
  // As many rows wherever the list stands, so that each row that comes takes the elements of one that goes.
  const whole = first + (Math.ceil((view / height + 2 * AROUND) / STEP) + 1) * STEP;
  const last = Math.min(count, first > 0 ? Math.max(least, whole) : least);
  return [Math.min(first, Math.max(0, count - 1)), Math.max(last, Math.min(count, first + 1))];
}

/** How long after a scroll its rows take the pointer again, when it does not move. */
const REST_MS = 100;

/**
 * Rows that pass under a resting pointer would each light up and be painted for it, which costs more than the scrolling
 * itself. They take the pointer again when it moves, or a moment after the last scroll.
 */
function passUnder(body: HTMLElement): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wake = () => {
    clearTimeout(timer);
    timer = undefined;
    body.style.pointerEvents = "";
  };
  const sleep = () => {
    if (timer === undefined) body.style.pointerEvents = "none";
    clearTimeout(timer);
    timer = setTimeout(wake, REST_MS);
  };
  // A browser tells of the pointer also when only what is below it moved.
  const moved = (event: PointerEvent) => {
    if (timer !== undefined && (event.movementX !== 0 || event.movementY !== 0)) wake();
  };
  addEventListener("scroll", sleep, { passive: true });
  addEventListener("pointermove", moved, { passive: true });
  return () => {
    removeEventListener("scroll", sleep);
    removeEventListener("pointermove", moved);
    wake();
  };
}

/** The rows to draw of a table's body, from the page's own scroll. */
export function useWindow(body: RefObject<HTMLElement | null>, count: number, height: number) {
  // Until its place is known, a table is taken to begin at the top of the view.
  const [place, setPlace] = useState(() => visible(count, height, 0, window.innerHeight));
  useEffect(() => {
    let frame = 0;
    const look = () => {
      frame = 0;
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const next = visible(count, height, top, window.innerHeight);
      setPlace((before) => (before[0] === next[0] && before[1] === next[1] ? before : next));
    };
    const soon = () => {
      frame ||= requestAnimationFrame(look);
    };
    look();
    const wake = count > WHOLE && body.current ? passUnder(body.current) : undefined;
    addEventListener("scroll", soon, { passive: true });
    addEventListener("resize", soon);
    return () => {
      wake?.();
      removeEventListener("scroll", soon);
      removeEventListener("resize", soon);
      cancelAnimationFrame(frame);
    };
  }, [body, count, height]);
  const first = Math.min(place[0], count);
  const last = Math.min(Math.max(place[1], first), count);
  return { first, last, before: first * height, after: (count - last) * height };
}

/** As `useWindow`, for rows that scroll in a box of their own. */
export function useBoxWindow(box: RefObject<HTMLElement | null>, count: number, height: number) {
  const [place, setPlace] = useState(() => visible(count, height, 0, window.innerHeight));
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    let frame = 0;
    const look = () => {
      frame = 0;
      const next = visible(count, height, -element.scrollTop, element.clientHeight);
      setPlace((before) => (before[0] === next[0] && before[1] === next[1] ? before : next));
    };
    const soon = () => {
      frame ||= requestAnimationFrame(look);
    };
    look();
    element.addEventListener("scroll", soon, { passive: true });
    const resized = new ResizeObserver(soon);
    resized.observe(element);
    return () => {
      element.removeEventListener("scroll", soon);
      resized.disconnect();
      cancelAnimationFrame(frame);
    };
  }, [box, count, height]);
  const first = Math.min(place[0], count);
  const last = Math.min(Math.max(place[1], first), count);
  return { first, last, before: first * height, after: (count - last) * height };
}
