import { cx } from "./class";
import { percent } from "./bytes";

interface Props {
  label: string;
  /** Percent in use; undefined when not known. */
  used: number | undefined;
  /** Percent promised to sandboxes, whether used or not. */
  reserved?: number | undefined;
  text?: string;
  className?: string;
}

/** Used as a filled bar, reserved as an outlined mark on the same scale. */
export function Meter({ label, used, reserved, text, className }: Props) {
  const known = used !== undefined;
  const high = known && used >= 90;
  const spoken = `${label}: ${known ? `${percent(used)} used` : "not known yet"}${reserved !== undefined ? `, ${percent(reserved)} reserved` : ""}`;
  return (
    <span className={cx("inline-flex items-center gap-2", className)} title={spoken}>
      <span className="sr-only">{spoken}</span>
      <span
        aria-hidden
        className={cx(
          "relative h-1.5 w-16 shrink-0 overflow-hidden rounded-full bg-line",
          !known && "opacity-50",
        )}
      >
        {reserved !== undefined && (
          <span
            className="absolute inset-y-0 left-0 rounded-full border border-info bg-info/20"
            style={{ width: `${Math.min(100, Math.max(reserved, 3))}%` }}
          />
        )}
        {known && (
          <span
            className={cx("absolute inset-y-0 left-0 rounded-full", high ? "bg-failed" : "bg-accent")}
            style={{ width: `${Math.min(100, Math.max(used, 2))}%` }}
          />
        )}
      </span>
      <span aria-hidden className={cx("whitespace-nowrap", known ? "text-fg-2" : "text-fg-3")}>
        {text ?? percent(used)}
      </span>
    </span>
  );
}
