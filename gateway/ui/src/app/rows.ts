// Walking through the rows of whatever list a page shows, by looking at the page itself: no list has to know of it.

const ROWS = "main tbody tr, main [data-row], main [role=row][tabindex]";
const INSIDE = "a[href], summary, button:not([disabled]), select, input";

/** What takes the focus for a row: the row itself where it can, else the way into it. */
function grip(row: HTMLElement): HTMLElement | undefined {
  if (row.hasAttribute("tabindex")) return row;
  return (
    row.querySelector<HTMLElement>("a[href], summary") ?? row.querySelector<HTMLElement>(INSIDE) ?? undefined
  );
}

const seen = (element: HTMLElement) => element.getClientRects().length > 0;

/** Where a walk begins: at the first row in view, or the last. A long list has rows around the view that nobody sees. */
function begin(rows: HTMLElement[], step: 1 | -1): HTMLElement | undefined {
  const inView = rows.filter((row) => {
    const { top, bottom } = row.getBoundingClientRect();
    return top >= 0 && bottom <= window.innerHeight;
  });
  const some = inView.length > 0 ? inView : rows;
  return step === 1 ? some[0] : some.at(-1);
}

/** How long a row that is not drawn yet is waited for. */
const PATIENCE_MS = 5_000;

/** Steps that were asked for and not taken yet: keys may be faster than a long list draws. */
let owed = 0;
let walking = false;

/** Moves the focus one row on or back; the first press goes to the first row that is in view. */
export function stepRow(step: 1 | -1) {
  owed += step;
  if (walking) return;
  walking = true;
  walk(true, performance.now() + PATIENCE_MS);
}

function walk(fresh: boolean, until: number) {
  while (owed !== 0) {
    const step = owed > 0 ? 1 : -1;
    const took = take(step, fresh);
    fresh = false;
    if (took === "waits" && performance.now() < until) {
      requestAnimationFrame(() => walk(false, until));
      return;
    }
    owed = took === "moved" ? owed - step : 0;
    until = performance.now() + PATIENCE_MS;
  }
  walking = false;
}

/** One step. `fresh`: nothing has the focus yet perhaps; later that means that the page is another one by now. */
function take(step: 1 | -1, fresh: boolean): "moved" | "waits" | "ended" {
  const rows = [...document.querySelectorAll<HTMLElement>(ROWS)].filter((row) => seen(row) && grip(row));
  const at = rows.findIndex((row) => row.contains(document.activeElement));
  if (at === -1 && !fresh) return "ended";
  const next = at === -1 ? begin(rows, step) : rows[at + step];
  if (next) {
    grip(next)?.focus({ preventScroll: true });
    next.scrollIntoView({ block: "nearest" });
    return "moved";
  }
  // A long list has room there for rows that it draws when they come near.
  const here = rows[at];
  const beyond = step === 1 ? here?.nextElementSibling : here?.previousElementSibling;
  if (beyond?.ariaHidden !== "true") return "ended";
  here?.scrollIntoView({ block: "center" });
  return "waits";
}

/** Ticks or unticks the row that holds the focus. */
export function selectRow() {
  const row = document.activeElement?.closest<HTMLElement>(ROWS);
  row?.querySelector<HTMLInputElement>("input[type=checkbox]:not([disabled])")?.click();
}

/** Unfolds every fold of the page; when all are open, folds them. */
export function unfoldAll() {
  const folds = [...document.querySelectorAll<HTMLDetailsElement>("main details")];
  const open = folds.some((fold) => !fold.open);
  for (const fold of folds) fold.open = open;
}

/** Opens the list beside the crumb that has the focus, else beside the last one. */
export function openSiblings(): boolean {
  const crumb = document.activeElement?.closest("[data-crumb]");
  const button =
    crumb?.querySelector<HTMLElement>("[data-siblings]") ??
    [...document.querySelectorAll<HTMLElement>("[data-siblings]")].findLast(seen);
  button?.click();
  return button !== undefined;
}
