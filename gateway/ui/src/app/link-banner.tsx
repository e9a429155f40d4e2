import { useEffect, useState } from "react";
import { TELL_AFTER_MS, useLink } from "~/live/link";

/** True once a loss has lasted long enough to be told, to the millisecond rather than to the next tick of a clock. */
function useLate(lostAt: number | undefined): boolean {
  const [toldFor, tell] = useState<number>();
  useEffect(() => {
    if (lostAt === undefined) return;
    const timer = setTimeout(() => tell(lostAt), Math.max(0, lostAt + TELL_AFTER_MS - Date.now()));
    return () => clearTimeout(timer);
  }, [lostAt]);
  return lostAt !== undefined && toldFor === lostAt;
}

/** Says that live updates are paused; floats, so nothing under the pointer moves. */
export function LinkBanner() {
  const { state, attempt, lostAt, caughtUp } = useLink();
  const late = useLate(lostAt);
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 bottom-4 z-30 flex justify-center px-4">
      {(late || caughtUp) && (
        <span className="rounded-panel border border-waiting/60 bg-raised px-3 py-1.5 text-fg shadow-float">
          {late ? (
            <>
              Live updates paused. {state === "stale" ? "Still trying" : "Reconnecting"}
              {/* The number changes with every attempt; it is read out once. */}
              <span aria-hidden>, attempt {attempt}</span>. What you see may be out of date.
            </>
          ) : (
            "Caught up. Updates are live again."
          )}
        </span>
      )}
    </div>
  );
}
