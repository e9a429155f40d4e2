// Class names that the filters of lists share.
import { cx } from "../class";

/** A filter that narrows the list is told from one that does not. */
export const chip = (set: boolean) =>
  cx(
    "inline-flex h-7 max-w-60 min-w-0 items-center gap-1.5 rounded-control border px-2 text-body whitespace-nowrap",
    "transition-colors duration-80 hover:border-fg-3 aria-expanded:border-accent pointer-coarse:h-11",
    set ? "border-accent/60 bg-accent/10" : "border-line-strong/60 bg-canvas",
  );

export const popup =
  "absolute top-full left-0 z-30 mt-1 w-max max-w-[min(26rem,calc(100vw-16px))] min-w-full overflow-y-auto rounded-panel border border-line bg-raised shadow-float outline-none";
