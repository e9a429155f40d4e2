// Finding text in an output. Matches are marked over the text; the elements stay as they are.
import { useEffect, useRef, useState, type RefObject } from "react";

const NAME = "roost-found";
const NOW = "roost-found-now";
const MOST = 2_000;
let styled = false;

function style() {
  if (styled) return;
  styled = true;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    `::highlight(${NAME}) { background: var(--line-strong); color: var(--canvas); }
     ::highlight(${NOW}) { background: var(--accent); color: var(--on-accent); }`,
  );
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}

/** The places of a text below an element, in any case; a match lies within one run of equal look. */
export function rangesOf(element: HTMLElement, text: string): Range[] {
  const wanted = text.toLowerCase();
  const found: Range[] = [];
  if (wanted === "") return found;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && found.length < MOST; node = walker.nextNode()) {
    const content = (node.nodeValue ?? "").toLowerCase();
    for (let at = content.indexOf(wanted); at >= 0; at = content.indexOf(wanted, at + wanted.length)) {
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      found.push(range);
    }
  }
  return found;
}

/** Marks what is found in an element, again whenever `content` changes; `next` goes to a further match. */
export function useFind(place: RefObject<HTMLElement | null>, text: string, content: unknown) {
  const ranges = useRef<Range[]>([]);
  const [count, setCount] = useState(0);
  const [at, setAt] = useState(0);
  useEffect(() => {
    ranges.current = place.current ? rangesOf(place.current, text) : [];
    setCount(ranges.current.length);
    if (typeof Highlight === "undefined") return undefined;
    style();
    const { highlights } = CSS;
    highlights.set(NAME, new Highlight(...ranges.current));
    return () => {
      highlights.delete(NAME);
      highlights.delete(NOW);
    };
    // The content itself is not read, but its change moves what is found.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies, react/exhaustive-deps
  }, [place, text, content]);
  const go = (step: number) => {
    if (count === 0) return;
    const next = (at + step + count) % count;
    const range = ranges.current[next];
    setAt(next);
    if (!range) return;
    if (typeof Highlight !== "undefined") CSS.highlights.set(NOW, new Highlight(range));
    range.startContainer.parentElement?.scrollIntoView({ block: "center" });
  };
  return { count, at: count === 0 ? 0 : Math.min(at, count - 1), go };
}
