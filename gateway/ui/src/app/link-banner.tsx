import { useLink } from "~/live/link";
import { useNow } from "~/ui/time";

/** Says that live updates are paused; floats, so nothing under the pointer moves. */
export function LinkBanner() {
  const { state, attempt, lostAt, caughtUp } = useLink();
  const now = useNow();
  const late = lostAt !== undefined && now - lostAt >= 3000;
  const text = caughtUp
    ? "Caught up. Updates are live again."
    : late
      ? `Live updates paused. ${state === "stale" ? "Still trying" : "Reconnecting"}, attempt ${attempt}. What you see may be out of date.`
      : "";
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 bottom-4 z-30 flex justify-center px-4">
      {text && (
        <span className="rounded-panel border border-waiting/60 bg-raised px-3 py-1.5 text-fg shadow-float">
          {text}
        </span>
      )}
    </div>
  );
}
