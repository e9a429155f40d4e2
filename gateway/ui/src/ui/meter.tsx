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

/**
 * Used as a filled bar, reserved as a line above it on the same scale. A long table holds hundreds, so it is two elements:
 * its parts are backgrounds, and what is spoken are attributes.
 */
export function Meter({ label, used, reserved, text, className }: Props) {
  const known = used !== undefined;
  const high = known && used >= 90;
  const spoken = `${known ? `${percent(used)} used` : "not known yet"}${reserved !== undefined ? `, ${percent(reserved)} reserved` : ""}`;
  const wide = (share: number | undefined, least: number) =>
    share === undefined || share <= 0 ? 0 : Math.min(100, Math.max(share, least));
  return (
    <span
      {...(known
        ? { role: "meter", "aria-valuenow": Math.round(used), "aria-valuemin": 0, "aria-valuemax": 100 }
        : { role: "img" })}
      {...(known
        ? { "aria-label": label, "aria-valuetext": spoken }
        : { "aria-label": `${label}: ${spoken}` })}
      title={`${label}: ${spoken}`}
      className={cx("inline-flex items-center gap-2 align-middle", className)}
    >
      <span
        className={cx("meter-bar", high ? "text-failed" : "text-accent", !known && "opacity-50")}
        style={{
          backgroundSize: `${known ? Math.min(100, Math.max(used, 2)) : 0}% 6px, 100% 6px, ${wide(reserved, 3)}% 2px`,
        }}
      />
      <span className={cx("whitespace-nowrap", known ? "text-fg-2" : "text-fg-3")}>
        {text ?? percent(used)}
      </span>
    </span>
  );
}
