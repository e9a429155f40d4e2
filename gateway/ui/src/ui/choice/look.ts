// Class names that choices and the filters of lists share.
import { cx } from "../class";

/** A filter that narrows the list is told from one that does not. */
export const chip = (set: boolean) =>
  cx(
    "inline-flex h-7 max-w-60 min-w-0 items-center gap-1.5 rounded-control border px-2 text-body whitespace-nowrap",
    "transition-colors duration-80 hover:border-fg-3 aria-expanded:border-accent pointer-coarse:h-11",
    set ? "border-accent/60 bg-accent/10" : "border-line-strong/60 bg-canvas",
  );

const float =
  "w-max max-w-[min(26rem,calc(100vw-16px))] rounded-panel border border-line bg-raised text-fg shadow-float outline-none";

export const popup = cx(float, "absolute top-full left-0 z-30 mt-1 min-w-full overflow-y-auto");
/** Above everything else. `useLayer` places it. */
export const over = cx(float, "fixed inset-auto m-0 overflow-y-auto p-1");
/** A list of options above everything else: a field to search is beside the button, above or below the options. */
export const listOver = cx(
  float,
  // A layer that is closed stays hidden, which a display without a condition would undo.
  "fixed inset-auto m-0 overflow-hidden p-0 open:flex open:flex-col data-up:open:flex-col-reverse",
);
