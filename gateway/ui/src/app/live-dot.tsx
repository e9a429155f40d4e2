import { useLink } from "~/live/link";
import { cx } from "~/ui/class";

const WORDS = {
  connecting: "Connecting",
  live: "Live",
  reconnecting: "Reconnecting",
  stale: "Out of date",
} as const;

/** Filled when live, half while reconnecting, a ring when out of date; always with the word. */
export function LiveDot({ compact = false }: { compact?: boolean }) {
  const state = useLink((link) => link.state);
  return (
    <span
      className={cx(
        "inline-flex items-center gap-2 text-small text-fg-2",
        compact && "flex-col gap-1 text-center",
      )}
      title={compact ? WORDS[state] : undefined}
    >
      <svg
        viewBox="0 0 12 12"
        width="10"
        height="10"
        aria-hidden
        className={cx(state === "live" ? "text-accent" : "text-waiting")}
      >
        <circle
          cx="6"
          cy="6"
          r="4.75"
          fill={state === "live" ? "currentColor" : "none"}
          stroke="currentColor"
          strokeWidth="1.5"
        />
        {(state === "reconnecting" || state === "connecting") && (
          <path d="M6 1.25a4.75 4.75 0 0 0 0 9.5z" fill="currentColor" />
        )}
      </svg>
      <span className={compact ? "sr-only" : undefined}>{WORDS[state]}</span>
    </span>
  );
}
