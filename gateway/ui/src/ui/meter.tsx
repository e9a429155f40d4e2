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

/** Used as a filled bar, reserved as a line above it on the same scale. */
export function Meter({ label, used, reserved, text, className }: Props) {
  const known = used !== undefined;
  const high = known && used >= 90;
  const spoken = `${label}: ${known ? `${percent(used)} used` : "not known yet"}${reserved !== undefined ? `, ${percent(reserved)} reserved` : ""}`;
  return (
    <span className={cx("inline-flex items-center gap-2 align-middle", className)} title={spoken}>
      <span className="sr-only">{spoken}</span>
      <span aria-hidden className="relative h-2.5 w-16 shrink-0">
        {reserved !== undefined && reserved > 0 && (
          <span
            className="absolute top-0 left-0 h-0.5 rounded-full bg-info"
            style={{ width: `${Math.min(100, Math.max(reserved, 3))}%` }}
          />
        )}
        <span
          className={cx(
            "absolute inset-x-0 bottom-0 h-1.5 overflow-hidden rounded-full bg-line",
            !known && "opacity-50",
          )}
        >
          {known && (
            <span
              className={cx("block h-full rounded-full", high ? "bg-failed" : "bg-accent")}
              style={{ width: `${Math.min(100, Math.max(used, 2))}%` }}
            />
          )}
        </span>
      </span>
      <span aria-hidden className={cx("whitespace-nowrap", known ? "text-fg-2" : "text-fg-3")}>
        {text ?? percent(used)}
      </span>
    </span>
  );
}
